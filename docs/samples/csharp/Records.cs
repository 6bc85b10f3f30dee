using System.Text;

namespace AnagrafeSamples;

/// <summary>
/// Sends many records, one on each line of a file, and keeps what failed: dotnet run -- records records.ndjson batch-17
/// Run again with the same file and key, it carries on and does nothing twice.
/// </summary>
static class Records
{
    public static async Task<int> Run(string file, string key)
    {
        var lines = await File.ReadAllLinesAsync(file);
        var body = Encoding.UTF8.GetBytes($"[{string.Join(',', lines)}]");
        var answer = await new Anagrafe().Update(body, key);

        var tuples = answer.Result.Records;
        Console.WriteLine($"{tuples.Count(record => record.Item3)} of {tuples.Length} records were applied.");

        // The tenth tuple belongs to the tenth line.
        var failed = lines.Where((_, place) => !tuples[place].Item3).ToList();
        for (var place = 0; place < tuples.Length; place++)
        {
            var record = tuples[place];
            if (!record.Item3)
                Anagrafe.Report($"line {place + 1}", $"{record.Item4} ({record.Item2})", record.Item5);
        }
        if (failed.Count == 0) return 0;
        await File.WriteAllLinesAsync($"{file}.failed", failed);
        Console.Error.WriteLine($"Correct {file}.failed and send it with a new key.");
        return 1;
    }
}

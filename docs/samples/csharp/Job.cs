using System.Text;

namespace AnagrafeSamples;

/// <summary>
/// Has a file of records done as a job, watches it, and saves its retry kit: dotnet run -- job records.ndjson batch-17
/// Run again with the same file and key, it finds the same job.
/// </summary>
static class Job
{
    public static async Task<int> Run(string file, string key)
    {
        var anagrafe = new Anagrafe();
        var body = Encoding.UTF8.GetBytes($"[{string.Join(',', await File.ReadAllLinesAsync(file))}]");
        var answer = await anagrafe.Update(body, key, "respond-async");
        if (answer.Status != 202)
            throw new CallFailed("The call with this key was answered at once: it is no job.");

        var job = answer.Result.Record!;
        var path = $"api/sync/v1/jobs/{job.ID}";
        for (; ; await Task.Delay(TimeSpan.FromSeconds(1)))
        {
            job = (await anagrafe.Get($"{path}?pageSize=1")).Result.Record!;
            Console.WriteLine($"job {job.ID}: {job.State}, {job.UsersDone} of {job.Users} users");
            if (job.EndedAt is not null) break;
        }
        if (job.RecordsFailed == 0) return 0;

        var kit = await anagrafe.Get($"{path}/failed");
        foreach (var record in kit.RetryKit)
            Anagrafe.Report($"line {record.Position + 1}", "This record was not applied.", record.Faults);
        await File.WriteAllTextAsync($"{file}.retry", kit.Text);
        Console.Error.WriteLine($"Correct {file}.retry, fill in the passwords, send it with a new key.");
        return 1;
    }
}

using System;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace AnagrafeSamples
{
    /// <summary>
    /// Sends many records, one per line of a file, and saves the failed lines: records file.ndjson batch-17
    /// Run it again with the same file and key to resume: no record is applied twice.
    /// </summary>
    static class Records
    {
        public static async Task<int> Run(string file, string key)
        {
            var lines = File.ReadAllLines(file);
            var body = Encoding.UTF8.GetBytes($"[{string.Join(",", lines)}]");
            var answer = await new Anagrafe().Update(body, key);

            var tuples = answer.Result.Records;
            Console.WriteLine($"{tuples.Count(record => record.Item3)} of {tuples.Length} records were applied.");

            // Tuples have the order of the lines.
            var failed = lines.Where((_, index) => !tuples[index].Item3).ToList();
            for (var index = 0; index < tuples.Length; index++)
            {
                var record = tuples[index];
                if (!record.Item3)
                    Anagrafe.Report($"line {index + 1}", $"{record.Item4} ({record.Item2})", record.Item5);
            }
            if (failed.Count == 0) return 0;
            File.WriteAllLines($"{file}.failed", failed);
            Console.Error.WriteLine($"Correct {file}.failed and send it with a new key.");
            return 1;
        }
    }
}

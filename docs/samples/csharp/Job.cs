using System;
using System.IO;
using System.Text;
using System.Threading.Tasks;

namespace AnagrafeSamples
{
    /// <summary>
    /// Sends a file of records as a job, polls it, and saves the failed records: job records.ndjson batch-17
    /// Run it again with the same file and key to resume: the key returns the same job.
    /// </summary>
    static class Job
    {
        public static async Task<int> Run(string file, string key)
        {
            var anagrafe = new Anagrafe();
            var body = Encoding.UTF8.GetBytes($"[{string.Join(",", File.ReadAllLines(file))}]");
            var answer = await anagrafe.Update(body, key, "respond-async");
            if (answer.Status != 202)
                throw new CallFailed("This key belongs to a call that was not sent as a job.");

            var job = answer.Result.Record;
            var path = $"api/sync/v1/jobs/{job.ID}";
            for (; ; await Task.Delay(TimeSpan.FromSeconds(1)))
            {
                job = (await anagrafe.Get($"{path}?pageSize=1")).Result.Record;
                Console.WriteLine($"job {job.ID}: {job.State}, {job.UsersDone} of {job.Users} users");
                if (job.EndedAt != null) break;
            }
            if (job.RecordsFailed == 0) return 0;

            var failed = await anagrafe.Get($"{path}/failed");
            foreach (var record in failed.FailedRecords)
                Anagrafe.Report($"line {record.Position + 1}", "This record was not applied.", record.FieldErrors);
            File.WriteAllText($"{file}.retry", failed.Text);
            Console.Error.WriteLine($"Correct {file}.retry, add the passwords, and send it with a new key.");
            return 1;
        }
    }
}

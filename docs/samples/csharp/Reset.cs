using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;

namespace AnagrafeSamples
{
    /// <summary>Resets passwords of users of a principal, all or none: reset 1 &lt;passwords.json</summary>
    static class Reset
    {
        public static async Task<int> Run(long principal)
        {
            var records = new[] { new { ID = principal, Users = Program.ReadInput<NewPassword>() } };
            var body = Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(records));
            var answer = await new Anagrafe().Update(body, Guid.NewGuid().ToString());

            var record = answer.Result.Records.Single();
            if (!record.Item3)
            {
                Anagrafe.Report("No password was reset", record.Item4, record.Item5);
                return 1;
            }
            Console.WriteLine("The passwords were reset.");
            return 0;
        }
    }
}

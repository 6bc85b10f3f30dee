using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;

namespace AnagrafeSamples
{
    /// <summary>Registers users under a principal, all or none: register 1 &lt;users.json</summary>
    static class Register
    {
        public static async Task<int> Run(long principal)
        {
            var records = new[] { new { ID = principal, Users = Program.ReadInput<NewUser>() } };
            var body = Encoding.UTF8.GetBytes(JsonConvert.SerializeObject(records));
            var answer = await new Anagrafe().Update(body, Guid.NewGuid().ToString(), "return=representation");

            var record = answer.Result.Records.Single();
            if (!record.Item3)
            {
                Anagrafe.Report("No user was registered", record.Item4, record.Item5);
                return 1;
            }
            foreach (var user in record.Item6.Users)
                Console.WriteLine($"{user.Username} has the ID {user.ID}");
            return 0;
        }
    }
}

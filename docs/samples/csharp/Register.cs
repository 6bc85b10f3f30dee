using System.Text.Json;

namespace AnagrafeSamples;

/// <summary>Registers users under a principal, all or none: dotnet run -- register 1 &lt;users.json</summary>
static class Register
{
    public static async Task<int> Run(long principal)
    {
        var users = await JsonSerializer.DeserializeAsync<NewUser[]>(Console.OpenStandardInput());
        var body = JsonSerializer.SerializeToUtf8Bytes(new[] { new { ID = principal, Users = users } });
        var answer = await new Anagrafe().Update(body, Guid.NewGuid().ToString(), "return=representation");

        var record = answer.Result.Records.Single();
        if (!record.Item3)
        {
            Anagrafe.Report("No user was registered", record.Item4, record.Item5);
            return 1;
        }
        foreach (var user in record.Item6.Users!)
            Console.WriteLine($"{user.Username} has the ID {user.ID}");
        return 0;
    }
}

using System.Text.Json;

namespace AnagrafeSamples;

/// <summary>Resets passwords of users of a principal, all or none: dotnet run -- reset 1 &lt;passwords.json</summary>
static class Reset
{
    public static async Task<int> Run(long principal)
    {
        var users = await JsonSerializer.DeserializeAsync<NewPassword[]>(Console.OpenStandardInput());
        var body = JsonSerializer.SerializeToUtf8Bytes(new[] { new { ID = principal, Users = users } });
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

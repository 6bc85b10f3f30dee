// dotnet run -- register 1 <users.json
using System.Text.Json;
using AnagrafeSamples;

try
{
    return args switch
    {
        ["register", var principal] => await Register.Run(long.Parse(principal)),
        ["reset", var principal] => await Reset.Run(long.Parse(principal)),
        ["records", var file, var key] => await Records.Run(file, key),
        ["job", var file, var key] => await Job.Run(file, key),
        ["webhook"] => await Webhook.Run(),
        _ => throw new CallFailed("usage: register <ID> | reset <ID> | records <file> <key> | job <file> <key> | webhook"),
    };
}
catch (Exception error) when (error is CallFailed or FormatException or JsonException or IOException)
{
    Console.Error.WriteLine(error.Message);
    return 2;
}

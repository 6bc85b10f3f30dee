using System.Collections.Specialized;
using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace AnagrafeSamples;

/// <summary>
/// Receives and verifies webhook messages: PORT=8080 WEBHOOK_SECRET=whsec_... dotnet run -- webhook
/// </summary>
static class Webhook
{
    public static async Task<int> Run()
    {
        var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET")?.Trim() ?? "";
        if (!secret.StartsWith("whsec_", StringComparison.Ordinal))
            throw new CallFailed("Set WEBHOOK_SECRET to the secret of the endpoint (whsec_...).");
        var key = Convert.FromBase64String(secret["whsec_".Length..]);
        var port = Environment.GetEnvironmentVariable("PORT") ?? "8080";

        using var listener = new HttpListener();
        listener.Prefixes.Add($"http://127.0.0.1:{port}/");
        listener.Start();
        Console.WriteLine($"listening on http://127.0.0.1:{port}");
        while (true)
        {
            var context = await listener.GetContextAsync();
            using var body = new MemoryStream();
            await context.Request.InputStream.CopyToAsync(body);
            var valid = IsValid(context.Request.Headers, body.ToArray(), key);
            if (valid)
            {
                // Process the event here. A message can arrive twice: process each webhook-id once.
                using var document = JsonDocument.Parse(body.ToArray());
                var message = document.RootElement;
                var id = context.Request.Headers["webhook-id"];
                Console.WriteLine($"{id} {message.GetProperty("type")} {message.GetProperty("data").GetRawText()}");
            }
            context.Response.StatusCode = valid ? 204 : 401;
            context.Response.Close();
        }
    }

    /// <summary>Returns true if the raw body was signed with the secret within the last five minutes.</summary>
    static bool IsValid(NameValueCollection headers, byte[] body, byte[] key)
    {
        var timestamp = headers["webhook-timestamp"];
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
        byte[] signed = [.. Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{timestamp}."), .. body];
        var expected = Encoding.ASCII.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, signed)));
        // During a secret rotation there is one signature per secret.
        return (headers["webhook-signature"] ?? "").Split(' ').Any(signature =>
            CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(signature), expected));
    }
}

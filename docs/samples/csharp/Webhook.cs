using System.Collections.Specialized;
using System.Globalization;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace AnagrafeSamples;

/// <summary>
/// Takes messages of a webhook and verifies them: PORT=8080 WEBHOOK_SECRET=whsec_... dotnet run -- webhook
/// </summary>
static class Webhook
{
    public static async Task<int> Run()
    {
        var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET")?.Trim() ?? "";
        if (!secret.StartsWith("whsec_", StringComparison.Ordinal))
            throw new CallFailed("Set WEBHOOK_SECRET to what was shown when the endpoint was made.");
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
            var genuine = IsGenuine(context.Request.Headers, body.ToArray(), key);
            if (genuine)
            {
                // A message may come twice: do here what is to be done, once for each webhook-id.
                using var message = JsonDocument.Parse(body.ToArray());
                var happened = message.RootElement;
                var id = context.Request.Headers["webhook-id"];
                Console.WriteLine($"{id} {happened.GetProperty("type")} {happened.GetProperty("data").GetRawText()}");
            }
            context.Response.StatusCode = genuine ? 204 : 401;
            context.Response.Close();
        }
    }

    /// <summary>Whether these bytes, as they came, were signed with our secret in the last five minutes.</summary>
    static bool IsGenuine(NameValueCollection headers, byte[] body, byte[] key)
    {
        var timestamp = headers["webhook-timestamp"];
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
        byte[] signed = [.. Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{timestamp}."), .. body];
        var expected = Encoding.ASCII.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, signed)));
        // While a secret is being changed there may be a signature for each.
        return (headers["webhook-signature"] ?? "").Split(' ').Any(signature =>
            CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(signature), expected));
    }
}

using System;
using System.Collections.Specialized;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace AnagrafeSamples
{
    /// <summary>Receives and verifies webhook messages: PORT=8080 WEBHOOK_SECRET=whsec_... webhook</summary>
    static class Webhook
    {
        public static async Task<int> Run()
        {
            var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET")?.Trim() ?? "";
            if (!secret.StartsWith("whsec_", StringComparison.Ordinal))
                throw new CallFailed("Set WEBHOOK_SECRET to the secret of the endpoint (whsec_...).");
            var key = Convert.FromBase64String(secret.Substring("whsec_".Length));
            var port = Environment.GetEnvironmentVariable("PORT") ?? "8080";

            using (var listener = new HttpListener())
            {
                listener.Prefixes.Add($"http://127.0.0.1:{port}/");
                listener.Start();
                Console.WriteLine($"listening on http://127.0.0.1:{port}");
                while (true) await Receive(await listener.GetContextAsync(), key);
            }
        }

        static async Task Receive(HttpListenerContext context, byte[] key)
        {
            var stream = new MemoryStream();
            await context.Request.InputStream.CopyToAsync(stream);
            var body = stream.ToArray();
            var valid = IsValid(context.Request.Headers, body, key);
            if (valid)
            {
                // Process the event here. A message can arrive twice: process each webhook-id once.
                var message = JObject.Parse(Encoding.UTF8.GetString(body));
                var id = context.Request.Headers["webhook-id"];
                Console.WriteLine($"{id} {message["type"]} {message["data"].ToString(Formatting.None)}");
            }
            context.Response.StatusCode = valid ? 204 : 401;
            context.Response.Close();
        }

        /// <summary>Returns true if the raw body was signed with the secret within the last five minutes.</summary>
        static bool IsValid(NameValueCollection headers, byte[] body, byte[] key)
        {
            var timestamp = headers["webhook-timestamp"];
            if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds)) return false;
            if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
            var signed = Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{timestamp}.").Concat(body).ToArray();
            using (var hmac = new HMACSHA256(key))
            {
                var expected = Encoding.ASCII.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(signed)));
                // During a secret rotation there is one signature per secret.
                return (headers["webhook-signature"] ?? "").Split(' ').Any(signature =>
                    IsEqual(Encoding.UTF8.GetBytes(signature), expected));
            }
        }

        /// <summary>Compares in constant time, so that the time of the answer reveals no part of the signature.</summary>
        static bool IsEqual(byte[] one, byte[] other)
        {
            if (one.Length != other.Length) return false;
            var difference = 0;
            for (var index = 0; index < one.Length; index++) difference |= one[index] ^ other[index];
            return difference == 0;
        }
    }
}

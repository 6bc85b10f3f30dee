using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;
using Newtonsoft.Json;

namespace AnagrafeSamples
{
    /// <summary>HTTP calls with retries.</summary>
    sealed class Anagrafe
    {
        const int Attempts = 8;
        /// <summary>Transient errors; 0 means that there was no response.</summary>
        static readonly int[] RetriedStatuses = { 0, 408, 409, 429, 500, 502, 503, 504 };
        static readonly Random Jitter = new Random();

        readonly HttpClient http;

        public Anagrafe()
        {
            var url = Environment.GetEnvironmentVariable("ANAGRAFE_URL");
            var key = Environment.GetEnvironmentVariable("ANAGRAFE_KEY");
            if (string.IsNullOrEmpty(url) || string.IsNullOrEmpty(key))
                throw new CallFailed("Set ANAGRAFE_URL and ANAGRAFE_KEY (<public key>.<secret key>).");
            http = new HttpClient { BaseAddress = new Uri(url.TrimEnd('/') + "/"), Timeout = TimeSpan.FromSeconds(60) };
            http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key.Trim());
        }

        /// <summary>Sends a body to irs/update. The key makes it safe to send it again.</summary>
        public Task<Answer> Update(byte[] body, string key, string prefer = null) =>
            Send(HttpMethod.Post, "api/sync/v1/irs/update", body, key, prefer);

        public Task<Answer> Get(string path) => Send(HttpMethod.Get, path, null, null, null);

        /// <exception cref="CallFailed">The service rejected the call as a whole.</exception>
        async Task<Answer> Send(HttpMethod method, string path, byte[] body, string key, string prefer)
        {
            for (var attempt = 1; ; attempt++)
            {
                var answer = await Receive(method, path, body, key, prefer);
                if (ShouldRetry(answer) && attempt < Attempts)
                {
                    // Random jitter, so that clients that failed together do not retry together.
                    var jitter = Jitter.NextDouble() * Math.Min(30, Math.Pow(2, attempt - 1));
                    await Task.Delay(answer.RetryAfter + TimeSpan.FromSeconds(jitter));
                    continue;
                }
                if (answer.Envelope?.Result != null || answer.IsFailedRecords) return answer;
                var message = answer.Envelope?.Message ?? "No answer from the service.";
                throw new CallFailed($"Request failed: status {answer.Status}. {message}");
            }
        }

        /// <summary>Makes one attempt. The status is 0 if there was no response.</summary>
        async Task<Answer> Receive(HttpMethod method, string path, byte[] body, string key, string prefer)
        {
            using (var request = new HttpRequestMessage(method, path))
            {
                if (body != null)
                {
                    request.Content = new ByteArrayContent(body);
                    request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
                }
                if (key != null) request.Headers.Add("Idempotency-Key", key);
                if (prefer != null) request.Headers.Add("Prefer", prefer);
                try
                {
                    using (var response = await http.SendAsync(request))
                    {
                        var retryAfter = response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero;
                        return new Answer((int)response.StatusCode, retryAfter, await response.Content.ReadAsStringAsync());
                    }
                }
                catch (Exception error) when (error is HttpRequestException || error is TaskCanceledException)
                {
                    return new Answer(0, TimeSpan.Zero, "");
                }
            }
        }

        /// <summary>Returns true after a transient error, or if a record has no final result.</summary>
        static bool ShouldRetry(Answer answer) =>
            answer.Envelope?.Result is Result result
                ? result.Records.Any(record => record.Item2 == "NOT_APPLIED" || record.Item2 == "OUTCOME_UNKNOWN")
                : RetriedStatuses.Contains(answer.Status);

        public static void Report(string label, string message, Dictionary<string, FieldError[]> fieldErrors)
        {
            Console.Error.WriteLine($"{label}: {message}");
            foreach (var place in fieldErrors)
                foreach (var error in place.Value)
                    Console.Error.WriteLine($"  {place.Key}: {error.Message} ({error.Code})");
        }
    }

    sealed class Answer
    {
        public Answer(int status, TimeSpan retryAfter, string text)
        {
            Status = status;
            RetryAfter = retryAfter;
            Text = text;
            Envelope = Read<Envelope>(text);
        }

        public int Status { get; }
        public TimeSpan RetryAfter { get; }
        public string Text { get; }

        /// <summary>Null for the failed records of a job, which are an array, and for answers of a proxy.</summary>
        public Envelope Envelope { get; }

        public Result Result => Envelope?.Result ?? throw new InvalidOperationException("This answer has no result.");

        public bool IsFailedRecords => Status == 200 && Text.StartsWith("[", StringComparison.Ordinal);

        public FailedRecord[] FailedRecords => Read<FailedRecord[]>(Text) ?? new FailedRecord[0];

        static T Read<T>(string text) where T : class
        {
            try
            {
                return JsonConvert.DeserializeObject<T>(text);
            }
            catch (JsonException)
            {
                return null;
            }
        }
    }

    sealed class CallFailed : Exception
    {
        public CallFailed(string message) : base(message) { }
    }
}

using System.Net.Http.Headers;
using System.Text.Json;

namespace AnagrafeSamples;

/// <summary>Calls of Anagrafe, each sent until it is answered.</summary>
sealed class Anagrafe
{
    const int Attempts = 8;
    static readonly int[] Passing = [0, 408, 409, 429, 500, 502, 503, 504];

    readonly HttpClient http;

    public Anagrafe()
    {
        var url = Environment.GetEnvironmentVariable("ANAGRAFE_URL");
        var key = Environment.GetEnvironmentVariable("ANAGRAFE_KEY");
        if (string.IsNullOrEmpty(url) || string.IsNullOrEmpty(key))
            throw new CallFailed("Set ANAGRAFE_URL, and ANAGRAFE_KEY to <public>.<secret>.");
        http = new HttpClient { BaseAddress = new Uri(url.TrimEnd('/') + "/"), Timeout = TimeSpan.FromSeconds(60) };
        http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", key.Trim());
    }

    /// <summary>Sends a body to irs/update. With its key it can be sent any number of times.</summary>
    public Task<Answer> Update(byte[] body, string key, string? prefer = null) =>
        Send(HttpMethod.Post, "api/sync/v1/irs/update", body, key, prefer);

    public Task<Answer> Get(string path) => Send(HttpMethod.Get, path);

    /// <exception cref="CallFailed">The call was refused as a whole.</exception>
    async Task<Answer> Send(
        HttpMethod method, string path, byte[]? body = null, string? key = null, string? prefer = null)
    {
        for (var attempt = 1; ; attempt++)
        {
            var answer = await Receive(method, path, body, key, prefer);
            if (IsUnfinished(answer) && attempt < Attempts)
            {
                // By chance, so that callers who failed together do not come back together.
                var chance = Random.Shared.NextDouble() * Math.Min(30, Math.Pow(2, attempt - 1));
                await Task.Delay(answer.RetryAfter + TimeSpan.FromSeconds(chance));
                continue;
            }
            if (answer.Envelope?.Result is not null || answer.IsRetryKit) return answer;
            var said = answer.Envelope?.Message ?? "No answer of the service came.";
            throw new CallFailed($"The call was not done: status {answer.Status}. {said}");
        }
    }

    /// <summary>One attempt; status 0 where no answer came.</summary>
    async Task<Answer> Receive(HttpMethod method, string path, byte[]? body, string? key, string? prefer)
    {
        using var request = new HttpRequestMessage(method, path);
        if (body is not null)
        {
            request.Content = new ByteArrayContent(body);
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        }
        if (key is not null) request.Headers.Add("Idempotency-Key", key);
        if (prefer is not null) request.Headers.Add("Prefer", prefer);
        try
        {
            using var response = await http.SendAsync(request);
            var asked = response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero;
            return new Answer((int)response.StatusCode, asked, await response.Content.ReadAsStringAsync());
        }
        catch (Exception error) when (error is HttpRequestException or TaskCanceledException)
        {
            return new Answer(0, TimeSpan.Zero, "");
        }
    }

    /// <summary>Whether the same call with its key would do more than was done.</summary>
    static bool IsUnfinished(Answer answer) =>
        answer.Envelope?.Result is { } result
            ? result.Records.Any(record => record.Item2 is "NOT_APPLIED" or "OUTCOME_UNKNOWN")
            : Passing.Contains(answer.Status);

    public static void Report(string what, string? sentence, Dictionary<string, Fault[]> faults)
    {
        Console.Error.WriteLine($"{what}: {sentence}");
        foreach (var (place, found) in faults)
            foreach (var fault in found)
                Console.Error.WriteLine($"  {place}: {fault.Message} ({fault.Code})");
    }
}

sealed record Answer(int Status, TimeSpan RetryAfter, string Text)
{
    /// <summary>Names are read whatever their case.</summary>
    static readonly JsonSerializerOptions Web = new(JsonSerializerDefaults.Web);

    /// <summary>Null for the retry kit, which is an array, and for what is no answer of the service.</summary>
    public Envelope? Envelope { get; } = Read<Envelope>(Text);

    public Result Result => Envelope?.Result ?? throw new InvalidOperationException("This answer has no result.");

    public bool IsRetryKit => Status == 200 && Text.StartsWith('[');

    public FailedRecord[] RetryKit => Read<FailedRecord[]>(Text) ?? [];

    static T? Read<T>(string text) where T : class
    {
        try
        {
            return JsonSerializer.Deserialize<T>(text, Web);
        }
        catch (JsonException)
        {
            return null;
        }
    }
}

sealed class CallFailed(string message) : Exception(message);

<?php

// HTTP calls with retries, for the other programs in this folder to require.

declare(strict_types=1);

const ATTEMPTS = 8;
// Transient errors; 0 means that there was no response.
const RETRIED_STATUSES = [0, 408, 409, 429, 500, 502, 503, 504];

if (!getenv('ANAGRAFE_URL') || !getenv('ANAGRAFE_KEY')) {
    fail('Set ANAGRAFE_URL and ANAGRAFE_KEY (<public key>.<secret key>).');
}

/** Returns the status and the answer. Exits if the service rejected the call as a whole. */
function call(string $method, string $path, ?string $body = null, array $headers = []): array
{
    for ($attempt = 1; ; $attempt++) {
        [$status, $retryAfter, $answer] = receive($method, $path, $body, $headers);
        if (!should_retry($status, $answer) || $attempt === ATTEMPTS) {
            break;
        }
        // Random jitter, so that clients that failed together do not retry together.
        $jitter = min(30, 2 ** ($attempt - 1));
        usleep($retryAfter * 1_000_000 + random_int(0, $jitter * 1_000_000));
    }
    // Every successful answer has a result, except the failed records of a job, which are an array.
    if ($answer !== null && (array_is_list($answer) || $answer['result'] !== null)) {
        return [$status, $answer];
    }
    $message = $answer['message'] ?? 'No answer from the service.';
    fail("Request failed: status $status. $message");
}

/** Sends a body to irs/update. The key makes it safe to send it again. */
function update(string $body, string $key, ?string $prefer = null): array
{
    $headers = ["Idempotency-Key: $key", ...($prefer === null ? [] : ["Prefer: $prefer"])];
    return call('POST', '/api/sync/v1/irs/update', $body, $headers);
}

/**
 * Makes one attempt. Returns the status (0: no response), Retry-After in seconds, and the answer, which is null if it
 * does not come from the service, for example if it is the error page of a proxy.
 */
function receive(string $method, string $path, ?string $body, array $headers): array
{
    $retryAfter = 0;
    $curl = curl_init(rtrim(getenv('ANAGRAFE_URL'), '/') . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . trim(getenv('ANAGRAFE_KEY')),
            'Content-Type: application/json',
            ...$headers,
        ],
        CURLOPT_TIMEOUT => 60,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$retryAfter): int {
            if (preg_match('/^retry-after: *(\d{1,6})\s*$/i', $line, $matches)) {
                $retryAfter = (int) $matches[1];
            }
            return strlen($line);
        },
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, $body);
    }
    $text = curl_exec($curl);
    if ($text === false) {
        return [0, 0, null];
    }
    $answer = json_decode($text, true);
    $isOurs = is_array($answer) && (array_is_list($answer) || array_key_exists('result', $answer));
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $retryAfter, $isOurs ? $answer : null];
}

/** Returns true after a transient error, or if a record has no final result. */
function should_retry(int $status, ?array $answer): bool
{
    if (isset($answer['result'])) {
        $codes = array_column($answer['result']['records'], 'Item2');
        return array_intersect($codes, ['NOT_APPLIED', 'OUTCOME_UNKNOWN']) !== [];
    }
    return in_array($status, RETRIED_STATUSES, true);
}

function report(string $label, string $message, array $fieldErrors): void
{
    fwrite(STDERR, "$label: $message\n");
    foreach ($fieldErrors as $path => $errors) {
        foreach ($errors as ['code' => $code, 'message' => $text]) {
            fwrite(STDERR, "  $path: $text ($code)\n");
        }
    }
}

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(2);
}

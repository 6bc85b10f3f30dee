<?php

// Calls of Anagrafe, each sent until it is answered. The programs beside it require it.

declare(strict_types=1);

const ATTEMPTS = 8;
const PASSING = [0, 408, 409, 429, 500, 502, 503, 504];

if (!getenv('ANAGRAFE_URL') || !getenv('ANAGRAFE_KEY')) {
    fail('Set ANAGRAFE_URL, and ANAGRAFE_KEY to <public>.<secret>.');
}

/** Gives the status and the answer. Ends the program where the call was refused as a whole. */
function call(string $method, string $path, ?string $body = null, array $headers = []): array
{
    for ($attempt = 1; ; $attempt++) {
        [$status, $asked, $answer] = receive($method, $path, $body, $headers);
        if (!is_unfinished($status, $answer) || $attempt === ATTEMPTS) {
            break;
        }
        // By chance, so that callers who failed together do not come back together.
        $bound = min(30, 2 ** ($attempt - 1));
        usleep($asked * 1_000_000 + random_int(0, $bound * 1_000_000));
    }
    // Every answer has a result but the retry kit, which is an array.
    if ($answer !== null && (array_is_list($answer) || $answer['result'] !== null)) {
        return [$status, $answer];
    }
    $said = $answer['message'] ?? 'No answer of the service came.';
    fail("The call was not done: status $status. $said");
}

/** Sends a body to irs/update. With its key it can be sent any number of times. */
function update(string $body, string $key, ?string $prefer = null): array
{
    $headers = ["Idempotency-Key: $key", ...($prefer === null ? [] : ["Prefer: $prefer"])];
    return call('POST', '/api/sync/v1/irs/update', $body, $headers);
}

/** One attempt: the status, 0 where none came; the seconds of Retry-After; the answer, null for any but ours. */
function receive(string $method, string $path, ?string $body, array $headers): array
{
    $asked = 0;
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
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$asked): int {
            if (preg_match('/^retry-after: *(\d{1,6})\s*$/i', $line, $found)) {
                $asked = (int) $found[1];
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
    $ours = is_array($answer) && (array_is_list($answer) || array_key_exists('result', $answer));
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $asked, $ours ? $answer : null];
}

/** Whether the same call with its key would do more than was done. */
function is_unfinished(int $status, ?array $answer): bool
{
    if (isset($answer['result'])) {
        $codes = array_column($answer['result']['records'], 'Item2');
        return array_intersect($codes, ['NOT_APPLIED', 'OUTCOME_UNKNOWN']) !== [];
    }
    return in_array($status, PASSING, true);
}

function report(string $what, string $sentence, array $faults): void
{
    fwrite(STDERR, "$what: $sentence\n");
    foreach ($faults as $place => $found) {
        foreach ($found as ['code' => $code, 'message' => $message]) {
            fwrite(STDERR, "  $place: $message ($code)\n");
        }
    }
}

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(2);
}

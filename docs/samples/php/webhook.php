<?php

// Receives and verifies webhook messages, under any web server or with the built-in one:
//   WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:8080 webhook.php

declare(strict_types=1);

/** Returns true if the raw bytes of the body were signed with the secret within the last five minutes. */
function is_valid(string $secret, string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!str_starts_with($secret, 'whsec_') || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, binary: true));
    // During a secret rotation there is one signature per secret.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
if (!is_valid(trim((string) getenv('WEBHOOK_SECRET')), $body)) {
    http_response_code(401);
    exit;
}
// Process the event here. A message can arrive twice: process each webhook-id once.
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
error_log("{$_SERVER['HTTP_WEBHOOK_ID']} {$event['type']} " . json_encode($event['data']));
http_response_code(204);

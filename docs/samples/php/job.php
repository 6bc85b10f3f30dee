<?php

// Sends a file of records as a job, polls it, and saves the failed records: php job.php records.ndjson batch-17
// Run it again with the same file and key to resume: the key returns the same job.

declare(strict_types=1);

require __DIR__ . '/anagrafe.php';

if ($argc !== 3) {
    fail('usage: php job.php <file> <key>');
}
[, $file, $key] = $argv;

$lines = file($file, FILE_IGNORE_NEW_LINES) ?: fail("$file has no records.");
[$status, $answer] = update('[' . implode(',', $lines) . ']', $key, prefer: 'respond-async');
if ($status !== 202) {
    fail('This key belongs to a call that was not sent as a job.');
}

$path = "/api/sync/v1/jobs/{$answer['result']['record']['ID']}";
for (;;) {
    [, $answer] = call('GET', "$path?pageSize=1");
    $job = $answer['result']['record'];
    echo "job $job[ID]: $job[State], $job[UsersDone] of $job[Users] users\n";
    if ($job['EndedAt'] !== null) {
        break;
    }
    sleep(1);
}

if ($job['RecordsFailed'] > 0) {
    [, $failed] = call('GET', "$path/failed");
    foreach ($failed as $record) {
        report('line ' . ($record['Position'] + 1), 'This record was not applied.', $record['FieldErrors']);
    }
    file_put_contents("$file.retry", json_encode($failed, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE));
    fwrite(STDERR, "Correct $file.retry, add the passwords, and send it with a new key.\n");
    exit(1);
}

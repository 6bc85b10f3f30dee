<?php

// Sends many records, one on each line of a file, and keeps what failed: php records.php records.ndjson batch-17
// Run again with the same file and key, it carries on and does nothing twice.

declare(strict_types=1);

require __DIR__ . '/anagrafe.php';

if ($argc !== 3) {
    fail('usage: php records.php <file> <key>');
}
[, $file, $key] = $argv;

$lines = file($file, FILE_IGNORE_NEW_LINES) ?: fail("$file has no records.");
[, $answer] = update('[' . implode(',', $lines) . ']', $key);

$tuples = $answer['result']['records'];
$applied = count(array_filter(array_column($tuples, 'Item3')));
echo "$applied of " . count($tuples) . " records were applied.\n";

// The tenth tuple belongs to the tenth line.
$failed = [];
foreach ($tuples as $place => $record) {
    if (!$record['Item3']) {
        $failed[] = "$lines[$place]\n";
        report('line ' . ($place + 1), "$record[Item4] ($record[Item2])", $record['Item5']);
    }
}
if ($failed !== []) {
    file_put_contents("$file.failed", $failed);
    fwrite(STDERR, "Correct $file.failed and send it with a new key.\n");
    exit(1);
}

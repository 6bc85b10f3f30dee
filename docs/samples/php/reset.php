<?php

// Resets the passwords of users of a principal, all or none: php reset.php 1 <passwords.json

declare(strict_types=1);

require __DIR__ . '/anagrafe.php';

if ($argc !== 2 || !ctype_digit($argv[1])) {
    fail('usage: php reset.php <principal ID> <passwords.json');
}

$users = array_map(
    fn (array $user) => [...$user, 'ConfirmPassword' => $user['Password']],
    json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR),
);
$body = json_encode([['ID' => (int) $argv[1], 'Users' => $users]], JSON_THROW_ON_ERROR);
[, $answer] = update($body, key: bin2hex(random_bytes(16)));

[$record] = $answer['result']['records'];
if (!$record['Item3']) {
    report('No password was reset', $record['Item4'], $record['Item5']);
    exit(1);
}
echo "The passwords were reset.\n";

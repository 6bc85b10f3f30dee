import { Box, Button, Group, PasswordInput, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import { Icon } from '../../ui/icon.tsx';

/** Lower-case letters and digits without i, l, o, 0 and 1, which are easily confused when read or dictated. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const groups = 4;
const groupLength = 5;

/** Generates a random password of about 99 bits that is easy to dictate and to type: `k7wqm-3xztb-…`. */
export function generatePassword(): string {
  const group = () => Array.from({ length: groupLength }, randomCharacter).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** Draws from the alphabet with rejection sampling, since the remainder of a random byte alone would be biased. */
function randomCharacter(): string {
  const limit = 256 - (256 % alphabet.length);
  for (;;) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < limit) return alphabet.charAt(byte % alphabet.length);
  }
}

const strengths = ['weak', 'fair', 'good', 'strong'] as const;
export type Strength = (typeof strengths)[number];

const maxBitsPerWord = 16;
const minBits = { fair: 35, good: 50, strong: 64 };

/**
 * Estimates the strength of a password, as a visual hint beside the check of the service. A run of letters counts as
 * one word at most; repeated and consecutive characters (aaaa, 1234) count nothing.
 */
function strengthOf(password: string): Strength {
  const bits = [...password.matchAll(/\p{L}+|\p{N}+|[^\p{L}\p{N}]+/gu)]
    .map(([run]) => bitsOf(run))
    .reduce((sum, some) => sum + some, 0);
  if (bits >= minBits.strong) return 'strong';
  if (bits >= minBits.good) return 'good';
  return bits >= minBits.fair ? 'fair' : 'weak';
}

function bitsOf(run: string): number {
  const count = countUnpredictable(run);
  if (/\p{L}/u.test(run)) return Math.min(maxBitsPerWord, count * Math.log2(26));
  return count * Math.log2(/\p{N}/u.test(run) ? 10 : 16);
}

/** Counts the characters that neither repeat the previous one nor continue its step, as in "abc" or "1357". */
function countUnpredictable(run: string): number {
  const points = Array.from(run, (character) => character.codePointAt(0) ?? 0);
  return points.filter((point, at) => {
    const [before, first] = [points[at - 1], points[at - 2]];
    if (before === undefined) return true;
    const step = point - before;
    return step !== 0 && (first === undefined || step !== before - first);
  }).length;
}

interface PasswordFieldProps {
  readonly value: string;
  readonly onChange: (password: string) => void;
  readonly error: string | undefined;
  /** The service accepts the current password. */
  readonly isAccepted: boolean;
  readonly busy: boolean;
  readonly focused?: boolean;
}

const colors = { weak: 'red', fair: 'orange', good: 'teal', strong: 'teal' };

/** A field for the password of another user, with a generator, a strength meter and the check of the service. */
export function PasswordField({
  value,
  onChange,
  error,
  isAccepted,
  busy,
  focused = false,
}: PasswordFieldProps) {
  const { password: messages } = usePrincipalsMessages();
  const [visible, setVisible] = useState(false);
  const strength = error ? 'weak' : strengthOf(value);

  function generate() {
    onChange(generatePassword());
    setVisible(true);
  }

  return (
    <Stack gap={6}>
      <PasswordInput
        label={messages.label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        readOnly={busy}
        visible={visible}
        onVisibilityChange={setVisible}
        visibilityToggleFocusable
        visibilityToggleButtonProps={{ 'aria-label': visible ? messages.hide : messages.show }}
        autoComplete="new-password"
        required
        inputContainer={(input) => (
          <Group gap="xs" wrap="nowrap">
            <Box flex={1}>{input}</Box>
            <Button
              variant="default"
              disabled={busy}
              leftSection={<Icon name="dice" size={16} />}
              onClick={generate}
            >
              {messages.generate}
            </Button>
          </Group>
        )}
        {...(focused && { 'data-autofocus': true })}
      />
      {value !== '' && (
        <Group gap="sm" wrap="nowrap">
          <Progress
            flex={1}
            value={((strengths.indexOf(strength) + 1) / strengths.length) * 100}
            color={colors[strength]}
            aria-label={messages.meter}
          />
          <Text size="xs" c="dimmed" miw={70} ta="right">
            {messages.strength[strength]}
          </Text>
        </Group>
      )}
      <Text size="xs" c="dimmed" role="status" mih={18}>
        {isAccepted ? messages.accepted : ''}
      </Text>
    </Stack>
  );
}

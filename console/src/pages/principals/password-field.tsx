import { Box, Button, Group, PasswordInput, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { generatePassword } from './generate.ts';
import { strengthOf, strengths } from './strength.ts';
import { useWords } from './words.ts';

interface PasswordFieldProps {
  readonly value: string;
  readonly onChange: (password: string) => void;
  /** What the service has against it. */
  readonly error: string | undefined;
  /** The service has said that it takes this one. */
  readonly taken: boolean;
  /** It is being sent, and stays what it is. */
  readonly busy: boolean;
  readonly focused?: boolean;
}

const colors = { weak: 'red', fair: 'orange', good: 'teal', strong: 'teal' };

/** A password for somebody else: typed or made, with how strong it is and what the service says of it. */
export function PasswordField({ value, onChange, error, taken, busy, focused = false }: PasswordFieldProps) {
  const { password: words } = useWords();
  const [visible, setVisible] = useState(false);
  const strength = error ? 'weak' : strengthOf(value);

  function make() {
    onChange(generatePassword());
    setVisible(true);
  }

  return (
    <Stack gap={6}>
      <PasswordInput
        label={words.label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        readOnly={busy}
        visible={visible}
        onVisibilityChange={setVisible}
        visibilityToggleFocusable
        visibilityToggleButtonProps={{ 'aria-label': visible ? words.hide : words.show }}
        autoComplete="new-password"
        required
        withAsterisk={false}
        inputContainer={(input) => (
          <Group gap="xs" wrap="nowrap">
            <Box flex={1}>{input}</Box>
            <Button
              variant="default"
              disabled={busy}
              leftSection={<Icon name="dice" size={16} />}
              onClick={make}
            >
              {words.generate}
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
            aria-label={words.meter}
          />
          <Text size="xs" c="dimmed" miw={70} ta="right">
            {words.strength[strength]}
          </Text>
        </Group>
      )}
      <Text size="xs" c="dimmed" role="status" mih={18}>
        {taken ? words.taken : ''}
      </Text>
    </Stack>
  );
}

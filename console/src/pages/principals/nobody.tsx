import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { useWords } from './words.ts';

/** The address names a principal that there is not. */
export function Nobody() {
  const { nobody, all } = useWords();
  return (
    <Page title={nobody.title}>
      <Text>{nobody.text}</Text>
      <Anchor component={Link} href="/principals">
        {all}
      </Anchor>
    </Page>
  );
}

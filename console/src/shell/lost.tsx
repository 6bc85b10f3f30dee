import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useWords } from '../language/words.ts';
import { Page } from '../parts/page.tsx';

export function Lost() {
  const { lost } = useWords();
  return (
    <Page title={lost.title} intro={lost.text}>
      <div>
        <Button component={Link} href="/">
          {lost.action}
        </Button>
      </div>
    </Page>
  );
}

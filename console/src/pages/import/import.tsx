import { Button } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../../parts/page.tsx';
import { Choose } from './choose.tsx';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';
import { Work } from './work.tsx';

/** `/console/import`: a file of users, looked at, mended and brought in. */
export function Import() {
  const words = useWords();
  const [file, setFile] = useState<UsersFile | null>(null);
  const [again, setAgain] = useState(false);
  function chooseAnother(): void {
    setFile(null);
    setAgain(true);
  }
  const another = (
    <Button variant="default" onClick={chooseAnother}>
      {words.another}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={file && another}>
      {file ? <Work file={file} /> : <Choose again={again} onRead={setFile} />}
    </Page>
  );
}

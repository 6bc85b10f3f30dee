import { Button } from '@mantine/core';
import { useState } from 'react';
import { Confirm } from '../../parts/confirm.tsx';
import { useHere } from '../../parts/here.ts';
import { Page } from '../../parts/page.tsx';
import { Choose } from './choose.tsx';
import { Unsaved } from './unsaved.ts';
import type { UsersFile } from './users-file.ts';
import { useWords } from './words.ts';
import { Work } from './work.tsx';

/** `/console/import`: a file of users, looked at, mended and brought in. */
export function Import() {
  const words = useWords();
  const here = useHere();
  const [file, setFile] = useState<UsersFile | null>(null);
  const [again, setAgain] = useState(false);
  const [unsaved, setUnsaved] = useState(false);
  const [asking, setAsking] = useState(false);
  function chooseAnother(): void {
    setAsking(false);
    setFile(null);
    setAgain(true);
  }
  const another = (
    <Button variant="default" onClick={() => (unsaved ? setAsking(true) : chooseAnother())}>
      {words.another}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={file && another}>
      <Unsaved value={setUnsaved}>
        {file ? <Work file={file} /> : <Choose again={again} onRead={setFile} />}
      </Unsaved>
      {asking && here && (
        <Confirm
          title={words.drop.title}
          text={words.drop.text}
          action={words.drop.action}
          busy={false}
          error={null}
          onConfirm={chooseAnother}
          onClose={() => setAsking(false)}
        />
      )}
    </Page>
  );
}

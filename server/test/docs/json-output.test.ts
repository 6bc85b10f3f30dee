import { newWorkFolder } from '@anagrafe/testing/importing';
import { startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { readPage } from './pages.ts';

/** Returns the names in the first column of the tables of a section: `warnings`, `warnings[].code`. */
function documentedFields(path: string, title: string): Set<string> {
  const [, section = ''] = readPage(path).split(`\n## ${title}\n`);
  const [content = ''] = section.split('\n## ');
  const cells = [...content.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)));
}

/** Returns the names of all fields of an output, with those of the elements of its lists. */
function fieldsOf(output: string): string[] {
  return Object.entries(JSON.parse(output)).flatMap(([name, value]) => {
    const [first] = Array.isArray(value) ? value : [];
    const inner = typeof first === 'object' && first !== null ? Object.keys(first) : [];
    return [name, ...inner.map((field) => `${name}[].${field}`)];
  });
}

const columns = 'ExternalKey,Denomination,Vatnumber,Username,Email,Password,Fax';
const rows = ['D-1,Uno,123,doc.uno,,una frase lunga,02 1', 'D-2,Due,,doc.due,no address,una frase lunga,'];

describe('the documentation of --json', () => {
  it('has every field that import, reset and their dry runs print, and no other', async () => {
    const folder = newWorkFolder(await startTestService());
    folder.write('users.csv', `${columns}\n${rows.join('\n')}\n`);
    folder.write('reset.csv', 'Username,Password\ndoc.uno,un altra frase lunga\n');
    const outputs = [
      await folder.run(['import', 'users.csv', '--json', '--dry-run']),
      await folder.run(['import', 'users.csv', '--json']),
      await folder.run(['reset', 'reset.csv', '--json', '--dry-run']),
      await folder.run(['reset', 'reset.csv', '--json']),
    ];
    const printed = new Set(outputs.flatMap(({ stdout }) => fieldsOf(stdout)));
    const documented = documentedFields('docs/guides/bulk-import.md', 'Output for programs');
    expect([...documented].sort()).toEqual([...printed].sort());
  });

  it('has every field that sync prints, and no other', async () => {
    const folder = newWorkFolder(await startTestService());
    folder.write('sync.csv', `${columns}\n${rows.join('\n')}\n`);
    const { stdout } = await folder.run(['sync', 'sync.csv', '--yes', '--json']);
    const elsewhere = /^(warnings|unusedColumns)\[\]/;
    const printed = fieldsOf(stdout).filter((name) => !elsewhere.test(name));
    const documented = documentedFields('docs/guides/sync.md', 'Output for programs');
    expect([...documented].sort()).toEqual(printed.sort());
  });
});

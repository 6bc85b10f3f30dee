import { describe, expect, it } from 'vitest';
import { fileErrorCodes } from '../../../importer/src/file/errors.ts';
import { rowErrorCodes } from '../../../importer/src/import/row-errors.ts';
import { readPage } from './pages.ts';

describe('the error codes in the guide of the import', () => {
  it('are those that the importer has, each of them once, with a meaning and a remedy', () => {
    const [, section = ''] = readPage('docs/guides/bulk-import.md').split('\n## Error codes\n');
    const [content = ''] = section.split('\n## ');
    const rows = [...content.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \|$/gm)];
    const documented = rows.map(([, code = '']) => code);
    expect(documented.toSorted()).toEqual([...fileErrorCodes, ...rowErrorCodes].toSorted());
  });
});

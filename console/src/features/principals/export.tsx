import type { Anagrafe, ExportFormat } from '@anagrafe/client';
import { exportedWorkbook } from '@anagrafe/importer';
import { useMutation } from '@tanstack/react-query';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import type { Action } from '../../ui/actions-menu.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { usePatientAnagrafe } from '../session/api-client.ts';

type FileFormat = ExportFormat | 'xlsx';

const formats: readonly FileFormat[] = ['xlsx', 'csv', 'spreadsheet', 'ndjson'];

const suffixes: Readonly<Record<FileFormat, string>> = {
  xlsx: '.xlsx',
  csv: '.csv',
  spreadsheet: '-spreadsheet.csv',
  ndjson: '.ndjson',
};

/** Excel expects a semicolon where numbers have a decimal comma. */
function separatorHere(): ',' | ';' {
  return (1.5).toLocaleString(navigator.language).includes(',') ? ';' : ',';
}

async function bytesOf(
  anagrafe: Anagrafe,
  format: FileFormat,
  ID: number | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (format === 'xlsx') return chunksOf(await exportedWorkbook(anagrafe.exportRecords({ ID }).bytes('csv')));
  const separator = format === 'spreadsheet' ? separatorHere() : undefined;
  return anagrafe.exportRecords({ ID, separator }).bytes(format);
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** The bytes that are held in the memory of the page before the browser gets them as a blob. */
const blobBytes = 8_388_608;

/** Collects a stream in blobs, which the browser keeps on disk if they are large. */
async function toBlob(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const blobs: Blob[] = [];
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    pending.push(chunk as Uint8Array<ArrayBuffer>);
    size += chunk.byteLength;
    if (size < blobBytes) continue;
    blobs.push(new Blob(pending));
    pending = [];
    size = 0;
  }
  return new Blob([...blobs, ...pending]);
}

/**
 * Exports all principals with their users, or one principal, as a file. Returns one action per format, and the error of
 * the last export.
 */
export function useExport(principalId?: number) {
  const { export: messages } = usePrincipalsMessages();
  const anagrafe = usePatientAnagrafe();
  const notify = useNotice();
  const { mutate, error, variables, isPending } = useMutation({
    mutationFn: async (format: FileFormat) => {
      notify(messages.started);
      return toBlob(await bytesOf(anagrafe, format, principalId));
    },
    gcTime: 0,
    onSuccess: (file, format) => {
      const name = `${principalId === undefined ? 'principals' : `principal-${principalId}`}${suffixes[format]}`;
      saveFile(name, [file]);
      notify(messages.saved(name));
    },
  });
  const actions: readonly Action[] = formats.map((format) => ({
    name: messages[format],
    onChoose: () => !isPending && mutate(format),
  }));
  const failure = error && variables && (
    <Failure error={error} title={messages.failed} onRetry={() => mutate(variables)} />
  );
  return { actions, failure, isPending };
}

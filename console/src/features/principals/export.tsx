import type { ExportFormat } from '@anagrafe/client';
import { useMutation } from '@tanstack/react-query';
import { usePrincipalsMessages } from '../../i18n/language.tsx';
import type { Action } from '../../ui/actions-menu.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { useNotice } from '../../ui/notice.tsx';
import { usePatientAnagrafe } from '../session/api-client.ts';

const formats: readonly ExportFormat[] = ['csv', 'spreadsheet', 'ndjson'];

const suffixes: Readonly<Record<ExportFormat, string>> = {
  csv: '.csv',
  spreadsheet: '-spreadsheet.csv',
  ndjson: '.ndjson',
};

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
    mutationFn: async (format: ExportFormat) => {
      notify(messages.started);
      return toBlob(anagrafe.exportRecords({ ID: principalId }).bytes(format));
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

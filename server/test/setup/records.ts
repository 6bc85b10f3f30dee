import { RecordList } from '../../src/json/record-list.ts';

/** Parses records as the service parses them from a request body. */
export async function recordList(records: unknown): Promise<RecordList> {
  const list = await RecordList.read(Buffer.from(JSON.stringify(records)), { maxDepth: 16 });
  if (!list) throw new Error('a list of records is an array');
  return list;
}

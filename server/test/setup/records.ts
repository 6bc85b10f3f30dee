import { RecordList } from '../../src/core/json/record-list.ts';

/** Records as they come out of a body. */
export async function recordList(records: unknown): Promise<RecordList> {
  const list = await RecordList.read(Buffer.from(JSON.stringify(records)), { maxDepth: 16 });
  if (!list) throw new Error('a list of records is an array');
  return list;
}

import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { AppliedMigration } from '../db/migrations.ts';
import { OperatorError } from '../lib/operator-error.ts';
import type { DumpedTable } from './dump-format.ts';

/** Sessions end with the move; the schema is made by the migrations. */
const leftOut = ['migrations', 'sessions', 'console_sessions', 'operator_sessions'];

/** Rows that the migrations insert into an empty database. The dump has them, too. */
const insertedByMigrations = ['audit_chain'];

/** Settings that the text of `COPY` depends on, and none of the time limits of the role. */
const settings = {
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** A connection with a transaction for `COPY`. It ends with the transaction. */
class CopyTransaction {
  protected readonly client: pg.Client;

  constructor(connection: pg.ClientConfig) {
    this.client = new pg.Client({ ...connection, application_name: 'anagrafe' });
    // An error of the connection is that of its query, too.
    this.client.on('error', () => undefined);
  }

  async begin(mode: string): Promise<void> {
    await this.client.connect();
    const limits = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`);
    await this.client.query([`begin ${mode}`, ...limits].join('; '));
  }

  async migrations(): Promise<AppliedMigration[]> {
    const { rows } = await this.client.query<AppliedMigration>(
      'select version, name, checksum from anagrafe.migrations order by version',
    );
    return rows;
  }

  /** Returns the tables in an order in which each follows those that it refers to. */
  async tables(): Promise<DumpedTable[]> {
    const { rows } = await this.client.query<DumpedTable & { parents: string[] }>(
      `select class.relname::text as name, array_agg(attname::text order by attnum) as columns,
              array(select parent.relname::text from pg_constraint
                      join pg_class as parent on parent.oid = confrelid
                     where conrelid = class.oid and contype = 'f' and confrelid <> conrelid) as parents
         from pg_class as class join pg_attribute on attrelid = class.oid
        where relnamespace = 'anagrafe'::regnamespace and relkind = 'r' and relname::text <> all($1)
          and attnum > 0 and not attisdropped
        group by class.oid, relname order by relname`,
      [leftOut],
    );
    const sorted: DumpedTable[] = [];
    for (let waiting = rows; waiting.length > 0; ) {
      const isReady = ({ parents }: { parents: string[] }) =>
        !waiting.some(({ name }) => parents.includes(name));
      const ready = waiting.filter(isReady);
      if (ready.length === 0) throw new Error('the foreign keys of the tables form a circle');
      sorted.push(...ready.map(({ name, columns }) => ({ name, columns })));
      waiting = waiting.filter((table) => !ready.includes(table));
    }
    return sorted;
  }

  /** Ends the connection, and with it a transaction that was not committed. */
  async close(): Promise<void> {
    await this.client.end();
  }
}

/** Reads all tables in one state of the database. */
export class DumpSnapshot extends CopyTransaction {
  static async open(connection: pg.ClientConfig): Promise<DumpSnapshot> {
    const snapshot = new DumpSnapshot(connection);
    await snapshot.begin('isolation level repeatable read, read only');
    return snapshot;
  }

  async query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.client.query<Row & pg.QueryResultRow>(sql, [...values]);
    return rows;
  }

  async sequences(): Promise<Record<string, string>> {
    const { rows } = await this.client.query<{ name: string; value: string }>(
      `select sequencename::text as name, last_value as value from pg_sequences
        where schemaname = 'anagrafe' and last_value is not null order by 1`,
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }

  /** Streams the rows. `rowCount` is their number, after the end. */
  rowsOf(table: DumpedTable): Readable & { readonly rowCount: number } {
    return this.client.query(copyTo(`copy ${inSql(table)} to stdout`));
  }
}

/** Writes all tables of an empty database in one transaction. */
export class LoadTransaction extends CopyTransaction {
  /**
   * Locks the tables, and turns their triggers off: the dump has the rows that these would write.
   *
   * @throws {OperatorError} if a table has rows.
   */
  static async open(connection: pg.ClientConfig, place: string): Promise<LoadTransaction> {
    const load = new LoadTransaction(connection);
    try {
      await load.begin('');
      await load.#takeTables(place);
      return load;
    } catch (error) {
      await load.close();
      throw error;
    }
  }

  async write({ name, columns }: DumpedTable, rows: AsyncIterable<Buffer>): Promise<number> {
    const copy = this.client.query(copyFrom(`copy ${inSql({ name, columns })} from stdin`));
    await pipeline(rows, copy);
    return copy.rowCount;
  }

  /** Sets the sequences, turns the triggers on again and commits. */
  async commit(sequences: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(sequences))
      await this.client.query('select setval($1::regclass, $2::bigint)', [inSchema(name), value]);
    const tables = await this.tables();
    await this.#eachTable(tables, (table) => `alter table ${table} enable trigger user`);
    await this.client.query('commit');
    await this.#eachTable(tables, (table) => `analyze ${table}`);
  }

  async #takeTables(place: string): Promise<void> {
    const tables = await this.tables();
    const names = tables.map(({ name }) => inSchema(name));
    await this.client.query(`lock table ${names.join(', ')} in access exclusive mode`);
    for (const name of insertedByMigrations)
      await this.client.query(`delete from ${inSchema(name)} where last_position = 0`);
    for (const name of names) {
      const { rows } = await this.client.query(`select from ${name} limit 1`);
      if (rows.length > 0)
        throw new OperatorError(`The database in ${place} is not empty`, {
          code: 'database_not_empty',
          advice: 'load the dump into a new data folder, or into a new database.',
        });
    }
    await this.#eachTable(tables, (table) => `alter table ${table} disable trigger user`);
  }

  async #eachTable(tables: readonly DumpedTable[], sqlOf: (table: string) => string): Promise<void> {
    for (const { name } of tables) await this.client.query(sqlOf(inSchema(name)));
  }
}

function inSql({ name, columns }: DumpedTable): string {
  return `${inSchema(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')})`;
}

function inSchema(name: string): string {
  return `anagrafe.${pg.escapeIdentifier(name)}`;
}

import type { Database } from '../../db/database.ts';
import { type ParameterValues, rowsParameter, statement } from '../../db/statement.ts';
import { type CallerTags, seesPrincipalId } from '../../db/visibility.ts';
import { columnTypes, fieldColumns, selectedColumns } from '../fields/field-columns.ts';
import { type PrincipalFields, principalFields } from '../fields/fields.ts';

/** A form of a new principal, in which spellings that count as equal are the same; see `anagrafe.likeness`. */
export interface Form {
  /** Zero-based index of the principal among those that were looked up. */
  readonly index: number;
  /** The field that is compared. `name` stands for `Denomination` or, without it, for `Surname` and `Name`. */
  readonly likeness: 'key' | 'name' | 'vatnumber' | 'taxcode';
  readonly text: string;
  /** A stored principal with the same form. */
  readonly other: { readonly id: number; readonly fields: NamingFields } | null;
}

type NamingFields = Omit<PrincipalFields, 'Email' | 'Tags'>;

const { Email: _, Tags: __, ...comparedFields } = principalFields;
const columns = Object.values(comparedFields).map(({ column }) => column);
/** The arguments of `anagrafe.likeness`, from a table. */
const argumentsFrom = (table: string) => columns.map((column) => `${table}.${column}`).join(', ');

const sent = rowsParameter('sent', columnTypes(comparedFields));

/** At most one stored principal has the key that is sent, and two forms with one hash are as good as impossible. */
const candidatesMax = 3;
/** Of the principals with a form, a limited caller may see none of the first. */
const examinedMax = 1000;

/**
 * Each form is looked up by the index of the hashes, and few principals are read for it: a name may be that of thousands.
 * The limits keep the planner from joining the tables in another order.
 */
export const findFormsStatement = statement(
  `select sent.index::integer - 1 as index, own.form, other.id, ${selectedColumns(comparedFields, 'other')}
     from ${sent.sql}
          cross join lateral unnest(anagrafe.likeness(${argumentsFrom('sent')})) as own (form)
          left join lateral (
            select stored.* from (
                (select principal_id, false as has_form from (
                    select principal_id from anagrafe.principal_likeness as likeness
                     where likeness.form = hashtextextended(own.form, 0)
                     order by likeness.form, principal_id
                     limit case when :callerTags::text[] is null then ${candidatesMax} else ${examinedMax} end) as examined
                  where ${seesPrincipalId('principal_id', ':callerTags')} limit ${candidatesMax})
                union all
                (select principal_id, true from anagrafe.principal_aliases as alias
                  where 'key ' || anagrafe.code_form(alias.external_key) = own.form
                    and ${seesPrincipalId('principal_id', ':callerTags')} limit 1)) as candidate
              cross join lateral (
                select * from anagrafe.principals where id = candidate.principal_id limit 1) as stored
             where (has_form or own.form = any(anagrafe.likeness(${argumentsFrom('stored')})))
               and (sent.external_key is null or stored.external_key is distinct from sent.external_key)
             limit 1) as other on true`,
);

type FormRow = NamingFields & {
  readonly index: number;
  readonly form: string;
  readonly id: number | null;
};

/** Returns the parameters of the statement. */
export function formParameters(
  principals: readonly Partial<PrincipalFields>[],
  callerTags: CallerTags,
): ParameterValues {
  const fields = fieldColumns(comparedFields, (principal: Partial<PrincipalFields>) => principal);
  return { ...sent.values(principals, fields), callerTags };
}

/** Returns a function that finds the forms of new principals. A stored principal with the same `ExternalKey` is no look-alike. */
export function openLookAlikes(database: Database, callerTags: CallerTags) {
  return async (principals: readonly Partial<PrincipalFields>[]): Promise<Form[]> => {
    const rows = await database.execute<FormRow>(findFormsStatement, formParameters(principals, callerTags));
    return rows.map(({ index, form, id, ...fields }) => {
      const likeness = form.slice(0, form.indexOf(' ')) as Form['likeness'];
      return { index, likeness, text: form, other: id === null ? null : { id, fields } };
    });
  };
}

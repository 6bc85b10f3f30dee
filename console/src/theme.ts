import { Badge, type CSSVariablesResolver, createTheme, Menu } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  colors: {
    // A touch of blue, from text to ground.
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
    // Words as they are written, and whole.
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none', miw: 'max-content' } }),
    // What it puts first to be focused is no item, which a menu must not have; the first item is focused instead.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
});

/** Where Mantine's own colours are too faint to be read by everyone (WCAG 2.2 AA). */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#545c66',
    '--mantine-color-placeholder': '#656d76',
    '--mantine-color-error': '#b42318',
    '--anagrafe-ground': '#f6f7f9',
    '--anagrafe-line': '#e3e6ea',
    '--anagrafe-here': '#edf1ff',
    '--anagrafe-here-text': '#364fc7',
    '--anagrafe-focus': '#3b5bdb',
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
    '--anagrafe-here': '#232b45',
    '--anagrafe-here-text': '#bac8ff',
    '--anagrafe-focus': '#91a7ff',
    '--mantine-color-indigo-light': '#1d2438',
    '--mantine-color-indigo-light-color': '#bac8ff',
  },
});

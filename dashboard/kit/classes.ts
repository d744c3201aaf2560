/** Joins class names, skipping false and undefined. */
export function cx(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** The style of text fields. 16 px on a phone, since iOS zooms in on smaller text. */
export const inputClass =
  'block min-h-8 w-full min-w-0 rounded-md border border-strong-line bg-panel px-2.5 py-1 text-sm text-text placeholder:text-soft hover:border-soft focus-visible:outline-offset-0 data-invalid:border-bad aria-invalid:border-bad disabled:cursor-not-allowed disabled:bg-sunken disabled:text-soft [&[readonly]]:bg-sunken max-sm:text-[16px]';

/** The style of everything that floats above the page. */
export const popupClass =
  'rounded-lg border border-line bg-panel text-text shadow-pop outline-none transition-[opacity,scale] duration-100 data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0';

/** The style of a line in a menu or a list of options. */
export const optionClass =
  'flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover data-disabled:text-soft data-disabled:opacity-70';

/** The style of one of several texts within a field. */
export const chipClass =
  'inline-flex min-h-6 max-w-full items-center gap-0.5 rounded-sm bg-accent-ground pl-2 text-accent text-sm data-highlighted:outline-2 data-highlighted:outline-accent';
export const chipRemoveClass =
  'flex size-6 shrink-0 items-center justify-center rounded-sm hover:bg-hover hover:text-text';

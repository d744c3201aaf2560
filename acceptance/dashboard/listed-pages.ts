interface ListedPages {
  readonly ACCOUNT_PAGES: readonly { readonly path: string }[];
  readonly OPERATOR_PAGES: readonly { readonly path: string }[];
}

/** A name that the type checker does not follow: the pages are checked with the dashboard's own settings. */
const PAGES: string = '../../dashboard/pages.ts';

/** The pages in the navigation of the dashboard. */
export const { ACCOUNT_PAGES, OPERATOR_PAGES }: ListedPages = await import(PAGES);

import type { Loss } from '../../../domain/exchange/loss.ts';

/** The loss of a country that a provider does not know. It only prefers results, so that the search is still useful. */
export const NO_COUNTRY: Loss = {
  field: 'country',
  verdict: 'dropped',
  why: 'the provider does not support this country',
};

/** The countries of Brave's web search (api-dashboard.search.brave.com, "Country codes"); it refuses others. */
export const BRAVE_COUNTRIES: ReadonlySet<string> = new Set(
  'AR AU AT BE BR CA CL DK FI FR DE GR HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US'.split(
    ' ',
  ),
);

/** The countries of Tavily's search (docs.tavily.com, "Tavily Search", `country`); it refuses others. */
const TAVILY_COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AF AL DZ AD AO AR AM AU AT AZ BS BH BD BB BY BE BZ BJ BT BO BA BW BR BN BG BF BI KH CM CA CV CF TD CL CN CO KM ' +
    'CG CR HR CU CY CZ DK DJ DO EC EG SV GQ ER EE ET FJ FI FR GA GM GE DE GH GR GT GN HT HN HU IS IN ID IR IQ IE IL ' +
    'IT JM JP JO KZ KE KW KG LV LB LS LR LY LI LT LU MG MW MY MV ML MT MR MU MX MD MC MN ME MA MZ MM NA NP NL NZ NI ' +
    'NE NG KP MK NO OM PK PA PG PY PE PH PL PT QA RO RU RW SA SN RS SG SK SI SO ZA KR SS ES LK SD SE CH SY TW TJ TZ ' +
    'TH TG TT TN TR TM UG UA AE GB US UY UZ VE VN YE ZM ZW'
  ).split(' '),
);

/** Countries whose name at Tavily is not the one of the Unicode tables. */
const TAVILY_NAMES: Readonly<Record<string, string>> = {
  BA: 'bosnia and herzegovina',
  CG: 'congo',
  CZ: 'czech republic',
  MM: 'myanmar',
  TR: 'turkey',
  TT: 'trinidad and tobago',
};

/** Made on first use, because its tables take milliseconds to load. */
let names: Intl.DisplayNames | null = null;

/** Returns Tavily's name of a country, in English and lower case; `null` if it does not support the country. */
export function tavilyCountry(code: string): string | null {
  if (!TAVILY_COUNTRIES.has(code)) return null;
  names ??= new Intl.DisplayNames(['en'], { type: 'region' });
  return TAVILY_NAMES[code] ?? (names.of(code) ?? code).toLowerCase();
}

import { Link, useLocation } from '@tanstack/react-router';
import { cx } from '../kit/classes.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.tsx';
import { maySee, pathsOf, useNavigation } from './navigation.ts';
import { useScope } from './scope.tsx';

/** The tabs of a page that has several, such as an account's settings; nothing if the person may see only one. */
export function SubNavigation() {
  const text = useText(shellText);
  const scope = useScope();
  const { pathname } = useLocation();
  const { account, operator } = useNavigation();
  const pages = scope.accountId === null ? operator : account;
  const here = pages.find(({ path }) => pathname === `${scope.base}/${path}`);
  const parent = here && (pages.find(({ path }) => path === here.within) ?? here);
  if (parent === undefined) return null;
  const paths = pathsOf(parent.path, pages);
  const tabs = pages.filter((entry) => paths.includes(entry.path) && maySee(entry, scope));
  if (tabs.length < 2) return null;
  return (
    <nav aria-label={text.pages[parent.page]} className="not-printed mb-5 border-line border-b">
      <ul className="flex flex-wrap gap-1">
        {tabs.map(({ page, path }) => (
          <li key={path}>
            <Link
              to={`${scope.base}/${path}`}
              className={cx(
                '-mb-px flex min-h-9 items-center border-b-2 px-3 text-sm hover:text-text',
                path === here?.path ? 'border-accent font-medium text-text' : 'border-transparent text-soft',
              )}
            >
              {path === parent.path ? text.general : text.pages[page]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

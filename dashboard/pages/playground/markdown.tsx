import { marked, type Token, type Tokens } from 'marked';
import { Fragment, memo, type ReactNode, useMemo } from 'react';
import { OuterLink } from '../../kit/button.tsx';
import { CodeBlock } from '../../kit/copy.tsx';
import { textOf } from '../shared/json.ts';

/**
 * Renders a model's Markdown as elements. HTML is never created: what looks like HTML is shown as text, images from other hosts (which
 * could track the reader) become links, and links lead only to web pages.
 */
export const Markdown = memo(({ text }: { readonly text: string }) => {
  const tokens = useMemo(() => marked.lexer(text), [text]);
  return (
    <div className="flex min-w-0 flex-col gap-2 break-words">
      <Blocks tokens={tokens} />
    </div>
  );
});

function Blocks({ tokens }: { readonly tokens: readonly Token[] }) {
  return tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
    <Block key={index} token={token} />
  ));
}

function Block({ token }: { readonly token: Token }): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return (
        <p className="mt-1 font-semibold">
          <Inlines tokens={token.tokens} />
        </p>
      );
    case 'code':
      return <CodeBlock code={(token as Tokens.Code).text} language="text" title={(token as Tokens.Code).lang} />;
    case 'hr':
      return <hr className="border-line" />;
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-2 border-strong-line border-l-2 pl-3 text-soft">
          <Blocks tokens={token.tokens ?? []} />
        </blockquote>
      );
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'paragraph':
      return (
        <p className="whitespace-pre-wrap">
          <Inlines tokens={token.tokens} />
        </p>
      );
    case 'text':
      return (
        <span className="whitespace-pre-wrap">
          {'tokens' in token && token.tokens ? <Inlines tokens={token.tokens} /> : token.text}
        </span>
      );
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>;
  }
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
    <li key={index} className="pl-1">
      {item.task && <span aria-hidden>{item.checked === true ? '☑ ' : '☐ '}</span>}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== 'checkbox')} />
    </li>
  ));
  if (!list.ordered) return <ul className="list-disc pl-5">{items}</ul>;
  return (
    <ol className="list-decimal pl-6" start={Number(list.start) || 1}>
      {items}
    </ol>
  );
}

function Table({ table }: { readonly table: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="text-sm">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
              <th key={index} className="border-line border-b px-2 py-1 text-left font-semibold">
                <Inlines tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
                <td key={column} className="border-line border-b px-2 py-1 align-top">
                  <Inlines tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inlines({ tokens = [] }: { readonly tokens?: readonly Token[] | undefined }) {
  return tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
    <Fragment key={index}>{inline(token)}</Fragment>
  ));
}

function inline(token: Token): ReactNode {
  const children = 'tokens' in token && token.tokens ? <Inlines tokens={token.tokens} /> : null;
  switch (token.type) {
    case 'strong':
      return <strong>{children}</strong>;
    case 'em':
      return <em>{children}</em>;
    case 'del':
      return <del>{children}</del>;
    case 'codespan':
      return <code className="rounded-xs bg-sunken px-1 font-mono text-[0.9em]">{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return webLink(textOf(token.href), children ?? token.text);
    case 'image':
      return webLink(textOf(token.href), token.text || textOf(token.href));
    case 'text':
    case 'escape':
      return children ?? token.text;
    default:
      return token.raw;
  }
}

function webLink(href: string, children: ReactNode): ReactNode {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return children;
  return (
    <OuterLink href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </OuterLink>
  );
}

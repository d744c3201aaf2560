import { PageHeader } from '../../kit/page.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';

export function Page() {
  const text = useText(shellText);
  return <PageHeader title={text.pages.overview} />;
}

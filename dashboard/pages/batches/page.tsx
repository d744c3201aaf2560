import { PageHeader } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useSearchState } from '../../shell/search.ts';
import { batchesText } from '../../text/batches.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { BatchList } from './batch-list.tsx';
import { FileList } from './file-list.tsx';

export function Page() {
  const text = useText(batchesText);
  const pages = useText(shellText).pages;
  const { values, set } = useSearchState(['tab', 'id', 'state', 'api', 'key', 'purpose']);
  return (
    <>
      <PageHeader title={pages.batches} description={text.about} />
      <Tabs
        label={pages.batches}
        value={values.tab === 'files' ? 'files' : 'batches'}
        onChange={(tab) => set({ tab: tab === 'batches' ? '' : tab, id: '', state: '', api: '', key: '', purpose: '' })}
        tabs={[
          { value: 'batches', label: text.batches, content: <BatchList /> },
          { value: 'files', label: text.files, content: <FileList /> },
        ]}
      />
    </>
  );
}

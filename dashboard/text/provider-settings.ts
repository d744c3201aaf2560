import { defineText } from './text.tsx';

/** The settings of providers, by provider and by name; the English is what their manifests say. */
export const providerSettings = defineText({
  en: {
    'azure-openai': {
      resource: {
        label: 'Resource',
        help: 'As in https://<resource>.openai.azure.com; not needed with a base address.',
      },
      api_version: {
        label: 'API version',
        help: 'A dated one such as 2024-10-21, for the older addresses by deployment.',
      },
    },
    bedrock: {
      region: { label: 'Region', help: 'Such as eu-central-1; us-east-1 if it is left out.' },
      beta_flags: {
        label: 'Further beta flags',
        help: 'Flags of anthropic-beta that the provider takes beyond those of this release, separated by commas.',
      },
    },
    openai: {
      organization: {
        label: 'Organization',
        help: 'The id of the organization that is billed (org-…), for keys that belong to several.',
      },
      project: { label: 'Project', help: 'The id of the project whose limits count (proj_…).' },
    },
    'openai-compatible': {
      server: {
        label: 'Server',
        help: 'The program behind the address, by whose rules requests are written; recognized if it is left out.',
      },
    },
    openrouter: {
      app_name: { label: 'App name', help: 'By which OpenRouter shows the requests in its rankings and activity.' },
      app_url: { label: 'App address', help: 'The address of that app, for its rankings.' },
    },
    vertex: {
      project: {
        label: 'Project',
        help: 'The id of the Google Cloud project; by default that of the credentials.',
      },
      location: { label: 'Location', help: 'Such as europe-west1; global if it is left out.' },
      beta_flags: {
        label: 'Further beta flags',
        help: 'Flags of anthropic-beta that the provider takes beyond those of this release, separated by commas.',
      },
    },
  },
  zh: {
    'azure-openai': {
      resource: { label: '资源', help: '即 https://<资源>.openai.azure.com 中的名称；填写了基础地址则不需要。' },
      api_version: { label: 'API 版本', help: '带日期的版本，例如 2024-10-21，用于按部署区分的旧地址。' },
    },
    bedrock: {
      region: { label: '区域', help: '例如 eu-central-1；留空则为 us-east-1。' },
      beta_flags: {
        label: '其他 beta 标志',
        help: '除本版本已知的之外，该提供商还接受的 anthropic-beta 标志，用逗号分隔。',
      },
    },
    openai: {
      organization: { label: '组织', help: '计费组织的 ID（org-…），用于属于多个组织的密钥。' },
      project: { label: '项目', help: '适用其限额的项目 ID（proj_…）。' },
    },
    'openai-compatible': {
      server: { label: '服务程序', help: '该地址背后的服务程序，请求按其规则编写；留空则自动识别。' },
    },
    openrouter: {
      app_name: { label: '应用名称', help: 'OpenRouter 在其排行和活动中以此名称显示请求。' },
      app_url: { label: '应用地址', help: '该应用的地址，用于其排行。' },
    },
    vertex: {
      project: { label: '项目', help: 'Google Cloud 项目的 ID；默认为凭据所属的项目。' },
      location: { label: '位置', help: '例如 europe-west1；留空则为 global。' },
      beta_flags: {
        label: '其他 beta 标志',
        help: '除本版本已知的之外，该提供商还接受的 anthropic-beta 标志，用逗号分隔。',
      },
    },
  },
});

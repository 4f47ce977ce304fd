/** Tokens with a known beginning, as vendors and public rule sets describe them. */
export interface Prefix {
  kind: string;
  /** Beginnings in small letters; case does not matter in the text. */
  words: string[];
  /** Starts at the first character of the word. */
  pattern: RegExp;
  /** How many characters before the word may belong to the secret. */
  back: number;
}

/**
 * One rule per line: kind, words, `<` with the characters before the word, pattern; `(?i)` ignores
 * case. All quantifiers have a limit.
 */
const RULES = String.raw`
  github-token ghp_ gho_ ghu_ ghs_ ghr_ gh[pousr]_[A-Za-z0-9_.-]{30,800}
  github-token github_pat_ github_pat_[A-Za-z0-9_]{22,255}
  gitlab-token glpat- gldt- glrt- glcbt- glptt- glft- gl[a-z]{2,5}-[A-Za-z0-9_=.-]{20,300}
  gitlab-token glimt- glagent- gloas- glsoat- glffct- gl[a-z]{2,5}-[A-Za-z0-9_=.-]{20,300}
  aws-access-key akia asia abia acca agpa aida aroa A(?:KIA|SIA|BIA|CCA|GPA|IDA|ROA)[A-Z0-9]{16}(?![A-Za-z0-9])
  aws-access-key aipa anpa anva a3t A(?:IPA|NPA|NVA|3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])
  aws-bedrock-key absk ABSK[A-Za-z0-9+/]{40,300}={0,2}
  aws-bedrock-key bedrock-api-key- bedrock-api-key-[A-Za-z0-9+/=_-]{20,2000}
  gcp-api-key aiza AIza[\w-]{35}
  google-oauth ya29. ya29\.[\w.-]{20,1000}
  google-oauth gocspx- GOCSPX-[\w-]{20,60}
  google-oauth 1//0 1//0[\w-]{20,200}
  azure-client-secret q~ <4 [A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}
  npm-token npm_ npm_(?:[A-Za-z0-9]{30,60}|(?=\w{0,35}\d)\w{36}(?!\w))
  pypi-token pypi- pypi-[A-Za-z0-9_-]{50,1000}
  rubygems-token rubygems_ rubygems_[a-f0-9]{40,60}
  slack-token xox xapp- xwfp- (?i)x(?:ox[a-z][-.]|app-|wfp-)[A-Za-z0-9%.-]{10,400}
  slack-token xox xapp- xwfp- (?i)x(?:ox[a-z][-.]|app-|wfp-)(?=[a-z0-9-]{0,8}\d)(?:[a-z0-9]{1,8}-){1,4}[a-z0-9]{2,8}(?!\w)
  slack-webhook hooks.slack.com/ (?i)hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/+-]{20,200}
  slack-webhook hooks.slack.com/ (?i)hooks\.slack\.com/services/T[a-z0-9]{1,40}/B[a-z0-9]{1,40}/[a-z0-9]{1,40}
  discord-webhook /api/webhooks/ /api/webhooks/\d{5,25}/[\w-]{30,120}
  teams-webhook .webhook.office.com/ \.webhook\.office\.com/webhookb2/[\w@/-]{30,300}
  stripe-key sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ [sr]k_(?:live|test|prod)_[A-Za-z0-9_]{10,250}
  stripe-webhook-secret whsec_ whsec_[A-Za-z0-9+/=]{20,200}
  anthropic-key sk-ant- sk-ant-[A-Za-z0-9_-]{20,250}
  openrouter-key sk-or- sk-or-[A-Za-z0-9_-]{20,200}
  openai-key sk-proj- sk-svcacct- sk-admin- sk-none- sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,300}
  openai-key sk- sk-(?=[A-Za-z0-9]{0,40}[0-9])[A-Za-z0-9]{32,120}(?![A-Za-z0-9])
  huggingface-token hf_ hf_[A-Za-z0-9]{30,60}
  huggingface-token api_org_ api_org_[A-Za-z]{30,40}
  groq-key gsk_ gsk_[A-Za-z0-9]{40,80}
  xai-key xai- xai-[A-Za-z0-9]{60,120}
  perplexity-key pplx- pplx-[A-Za-z0-9]{40,80}
  replicate-token r8_ r8_[A-Za-z0-9]{37}
  nvidia-key nvapi- nvapi-[\w-]{50,100}
  cerebras-key csk- csk-[a-z0-9]{40,60}
  langsmith-key lsv2_ lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}
  elevenlabs-key sk_ sk_[a-f0-9]{48}(?![a-z0-9])
  resend-key re_ re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}(?![A-Za-z0-9])
  sendgrid-key sg. SG\.[\w-]{10,64}\.[\w-]{10,128}
  twilio-key sk0 sk1 sk2 sk3 sk4 sk5 sk6 sk7 sk8 sk9 ska skb skc skd ske skf SK[0-9a-f]{32}(?![0-9a-zA-Z])
  mailgun-key key- key-[0-9a-f]{32}(?![0-9a-z])
  mailchimp-key -us <32 [0-9a-f]{32}-us\d{1,2}(?!\d)
  telegram-token :aa <13 (?:bot)?\d{8,10}:AA[\w-]{32,33}(?![\w-])
  databricks-token dapi dapi[A-Fa-f0-9]{32}(?:-\d)?
  digitalocean-token dop_v1_ doo_v1_ dor_v1_ do[opr]_v1_[a-f0-9]{64}
  heroku-key hrku- HRKU-[\w-]{36,70}
  linear-key lin_api_ lin_oauth_ lin_(?:api|oauth)_[A-Za-z0-9_]{32,128}
  notion-token ntn_ ntn_[A-Za-z0-9]{40,60}
  notion-token secret_ secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])
  shopify-token shpat_ shpca_ shppa_ shpss_ shptka_ shpua_ shp[a-z]{2,3}_[a-zA-Z0-9]{32,64}
  vault-token hvs. hvb. hvr. hv[sbr]\.[\w-]{24,400}
  vault-token s. s\.(?=[A-Za-z]{0,23}\d)(?=[A-Z0-9]{0,23}[a-z])(?=[a-z0-9]{0,23}[A-Z])[A-Za-z0-9]{24}(?![A-Za-z0-9_(.])
  terraform-token .atlasv1. <14 [A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}
  age-secret-key age-secret-key-1 (?i)AGE-SECRET-KEY-1[A-Z0-9]{58}
  1password-token ops_ey ops_ey[A-Za-z0-9+/=_-]{100,4000}
  1password-secret-key a3- A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
  docker-token dckr_pat_ dckr_oat_ dckr_[po]at_[\w-]{20,60}
  figma-token figd_ figo_ figh_ figor_ figoh_ figu_ fig[a-z]{1,2}_[\w-]{30,200}
  grafana-token glsa_ glc_ gl(?:sa|c)_[A-Za-z0-9+/_=]{32,420}
  grafana-token eyjrijoi eyJrIjoi[A-Za-z0-9+/=]{40,400}
  sentry-token sntrys_ sntryu_ sntry[su]_[A-Za-z0-9+/=_]{40,500}
  doppler-token dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,100}
  pulumi-token pul- pul-[a-f0-9]{40}
  planetscale-token pscale_ pscale_(?:tkn|pw|oauth|app)_[\w=.-]{30,70}
  postman-key pmak- (?i)PMAK-[a-f0-9]{24}-[a-f0-9]{34}
  prefect-key pnu_ pnb_ pn[ub]_[A-Za-z0-9]{36}
  readme-key rdme_ rdme_[a-z0-9]{60,80}
  shippo-token shippo_live_ shippo_test_ shippo_(?:live|test)_[a-fA-F0-9]{40}
  square-token sq0atp- sq0csp- sq0idp- sq0[a-z]{3}-[\w-]{22,60}
  square-token eaaa EAAA[\w-]{60}(?![\w-])
  newrelic-key nrak- nrii- nrjs- nral- NR(?:AK|II|JS|AL)-[A-Za-z0-9-]{19,60}
  atlassian-token atatt3 atctt3 atbb AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{24,300}
  airtable-token pat pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
  cloudflare-key v1.0- v1\.0-[a-f0-9]{24}-[a-f0-9]{146}
  dropbox-token sl. sl\.[\w-]{130,1500}
  duffel-token duffel_live_ duffel_test_ duffel_(?:live|test)_[\w=-]{43}
  dynatrace-token dt0c01. dt0s01. dt0s16. (?i)dt0[cs]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}
  easypost-key ezak eztk EZ[AT]K[A-Za-z0-9]{54}
  facebook-token eaac eaab eaam EAA[MCB][A-Za-z0-9]{60,400}
  flutterwave-key flwseck (?i)FLWSECK(?:_TEST)?-[a-h0-9]{12,32}-X
  frameio-token fio-u- fio-u-[\w=-]{64}
  fly-token fm1a_ fm1r_ fm2_ fo1_ f(?:m1[ar]|m2|o1)_[A-Za-z0-9+/=_,-]{40,1500}
  supabase-key sbp_ sb_secret_ sb(?:p|_secret)_[A-Za-z0-9_-]{20,60}
  netlify-token nfp_ nfc_ nfo_ nfu_ nf[pcou]_[A-Za-z0-9]{36}
  vercel-token vcp_ vci_ vca_ vcr_ vck_ vc[piark]_[A-Za-z0-9]{20,60}
  posthog-key phx_ phs_ ph[xs]_[A-Za-z0-9]{40,60}
  mapbox-token sk.eyj sk\.eyJ[\w-]{20,300}\.[\w-]{20,40}
  openshift-token sha256~ sha256~[\w-]{43}
  sourcegraph-token sgp_ (?i)sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}
  tailscale-key tskey- tskey-[a-z]{2,20}-[\w-]{10,100}
  typeform-token tfp_ tfp_[\w-]{40,60}
  yandex-token aqvn y0_ t1.9euel (?:AQVN[\w-]{35,38}|y0_[\w-]{35,60}|t1\.9euel[\w.=-]{60,400})
  adafruit-key aio_ aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])
  adobe-secret p8e- (?i)p8e-[a-z0-9]{32}
  alibaba-key ltai LTAI[A-Za-z0-9]{17,25}
  artifactory-token akcp cmvmdgtu (?:AKCp[A-Za-z0-9]{60,100}|cmVmdGtu[A-Za-z0-9]{50,70})
  buildkite-token bkua_ bkua_[a-z0-9]{40}
  circleci-token ccipat_ ccipj_ CCIP(?:AT|RJ|J)_[A-Za-z0-9_]{30,80}
  clojars-token clojars_ (?i)CLOJARS_[a-z0-9]{60}
  contentful-token cfpat- CFPAT-[\w-]{40,50}
  octopus-key api- API-[A-Z0-9]{25,30}(?![A-Za-z0-9])
  scalingo-token tk-us- tk-us-[\w-]{48}
  sonar-token sqp_ squ_ sqa_ (?i)sq[pua]_[a-z0-9]{40}
  settlemint-token sm_aat_ sm_pat_ sm_sat_ sm_[aps]at_[A-Za-z0-9]{16}
  zuplo-key zpka_ zpka_[\w-]{36,60}
  infracost-key ico- ico-[A-Za-z0-9]{32}
  temporal-key tmprl_ tmprl_[\w-]{30,100}
  tavily-key tvly- tvly-[A-Za-z0-9-]{20,60}
  password-hash $2a$ $2b$ $2y$ \$2[aby]\$\d\d\$[A-Za-z0-9./]{53}
  password-hash $argon2 \$argon2(?:id|i|d)\$[A-Za-z0-9$=,+/]{30,300}
  password-hash $6$ $5$ \$[56]\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{43,86}
`;

export const PREFIXES: readonly Prefix[] = RULES.trim()
  .split('\n')
  .map((rule) => {
    const [kind = '', ...words] = rule.trim().split(' ');
    const pattern = words.pop()!;
    const back = words.at(-1)!.startsWith('<') ? Number(words.pop()!.slice(1)) : 0;
    const source = pattern.replace('(?i)', '');
    return { kind, words, back, pattern: new RegExp(source, source === pattern ? 'y' : 'iy') };
  });

/**
 * Words of demand, time, task and question in the languages that people type, by what they mean. The labels are nearly all
 * English: a weight that they give to a meaning holds in every language that has a word for it here. Without this table the
 * judge knows no German, French, Spanish, Portuguese, Italian, Dutch, Russian or Korean at all (docs/decisions/judge.md).
 */

/** Meaning -> its words: `_` joins the words of a phrase, a closing `*` leaves the ending open. */
const WORDS: Record<string, string> = {
  from_now:
    'from_now_on going_forward from_here_on in_future in_the_future next_time henceforth ab_jetzt ab_sofort ' +
    'in_zukunft künftig zukünftig von_nun_an nächstes_mal désormais dorénavant à_partir_de_maintenant ' +
    "à_l'avenir la_prochaine_fois a_partir_de_ahora de_ahora_en_adelante en_el_futuro la_próxima_vez " +
    'en_adelante a_partir_de_agora de_agora_em_diante daqui_em_diante daqui_para_frente da_próxima_vez ' +
    "d'ora_in_poi d'ora_in_avanti in_futuro vanaf_nu voortaan впредь отныне с_этого_момента в_дальнейшем " +
    'на_будущее в_следующий_раз с_этого_дня 从现在起 从现在开始 從現在起 从今以后 以后 以後 今后 今後 下次 これから 次回 앞으로 이제부터 다음부터',
  always:
    'always every_time each_time whenever at_all_times without_exception immer jedes_mal stets grundsätzlich ' +
    'toujours à_chaque systématiquement siempre cada_vez sempre toda_vez ogni_volta altijd всегда каждый_раз ' +
    'постоянно 总是 總是 始终 每次 一律 必ず 常に いつも 毎回 항상 언제나 매번',
  never: 'never niemals nie jamais nunca jamás mai nooit никогда 从不 绝不 永远不 決して 絶対に 절대',
  forbid:
    "don't do_not dont must_not mustn't should_not shouldn't avoid refrain stop forbidden not_allowed " +
    'no_more nicht kein* vermeid* verboten pas évite* interdit arrête* no_uses no_hagas no_pongas no_toques ' +
    'evita* deja_de prohibido não evite pare_de proibido non smetti vietato niet geen vermijd не нельзя ' +
    'запрещено избегай* 不要 不許 不许 不准 不能 不得 别 禁止 勿 避免 无需 しないで ないで ないこと 避けて しないこと 하지_마 하지_마세요 하지_말고 하지_말아 금지',
  must:
    'must has_to have_to need_to needs_to make_sure be_sure ensure required mandatory muss müssen musst ' +
    'stell_sicher achte doit doivent dois il_faut assure* obligatoire debe* tiene_que tienen_que hay_que ' +
    'asegúra* obligatorio deve* tem_que têm_que certifique* obrigatóri* devono bisogna assicura* moet* ' +
    'zorg_dat долж* обязательно необходимо нужно надо убедись убедитесь 必须 必須 务必 務必 一定要 确保 需要 なければ 必要 こと 반드시 꼭 ' +
    '해야*',
  should:
    'should ought supposed_to soll* devrait devraient debería* deveria* dovrebbe* zou_moeten следует 应该 應該 应当 ' +
    'べき ように',
  only:
    'only solely exclusively nur ausschließlich lediglich seulement uniquement solo sólo solamente únicamente ' +
    'somente apenas só soltanto alleen uitsluitend только исключительно лишь 只 仅 僅 だけ のみ 오직',
  instead:
    'instead instead_of rather_than in_place_of statt stattdessen anstatt anstelle au_lieu plutôt en_lugar_de ' +
    'en_vez_de em_vez_de ao_invés_de no_lugar_de invece anziché al_posto_di in_plaats_van вместо а_не 而不是 而非 ' +
    '代替 改用 代わりに ではなく じゃなくて 대신',
  prefer:
    'prefer* preference rather i_like i_hate i_love bevorzug* lieber ich_mag ich_möchte préfère préférons ' +
    "j'aime prefier* preferimos me_gusta prefir* gosto preferisco liever предпочита* мне_нравится лучше 喜欢 偏好 " +
    '更倾向 最好 希望 の方がいい ほうがいい 好み 好き 선호*',
  we_do:
    "we_use we_keep we_always we_never we_don't we_do_not our_convention our_rule our_policy our_style " +
    'this_project this_repo this_repository this_codebase our_project our_repo our_team wir_verwenden ' +
    'wir_nutzen wir_benutzen wir_machen wir_schreiben bei_uns diesem_projekt diesem_repo unser* nous_utilisons ' +
    'on_utilise chez_nous ce_projet ce_dépôt notre nos usamos utilizamos este_proyecto este_repo nuestr* ' +
    'este_projeto neste_projeto deste_projeto noss* usiamo questo_progetto we_gebruiken мы_используем мы_пишем ' +
    'у_нас этом_проекте этот_проект наш* 我们 本项目 这个项目 项目中 項目 项目 このプロジェクト このリポジトリ プロジェクトで うちでは 우리는 이_프로젝트',
  remember:
    "remember keep_in_mind note_that be_aware don't_forget bear_in_mind important merk_dir denk_daran beachte " +
    "vergiss_nicht wichtig n'oublie* souviens* rappelle* recuerda ten_en_cuenta no_olvides importante lembre* " +
    'não_esqueça ricorda* tieni_presente onthoud запомни* помни* имей* не_забудь не_забывай важно 记住 記住 请注意 ' +
    '注意 别忘 覚えて 忘れないで 注意して 기억해* 명심*',
  all:
    'every each all any jede* alle* chaque tous toutes cada todo* toda* ogni tutt* elke кажд* все всех всем 每个 ' +
    '每個 每 所有 全部 任何 すべて 全て 各 毎 모든',
  before: 'before vor bevor avant antes prima voor перед до 之前 以前 前に 전에',
  after: 'after nach nachdem après después depois dopo после 之后 後に 후에',
  when:
    'when if unless wenn falls sobald quand lorsque si cuando quando als wanneer если когда 当 如果 时候 時 とき 場合 なら ' +
    '때',
  person:
    'i me my mine ich mir mein* je moi mon mes yo mi mis eu meu minha io mio mia ik mij mijn я мне мой моя 我 私 ' +
    '僕 나는 제가',
  now:
    'now today currently right_now for_now this_time at_the_moment yet again later temporarily tomorrow jetzt immer_noch ' +
    'est_toujours sont_toujours toujours_pas ' +
    "heute gerade vorerst diesmal momentan morgen später noch_mal nochmal maintenant aujourd'hui l'instant " +
    'cette_fois demain tout_de_suite ahora hoy por_ahora esta_vez mañana luego de_momento agora hoje ' +
    'por_enquanto desta_vez amanhã adesso oggi per_ora domani nu vandaag сейчас сегодня пока завтра потом ' +
    'снова 现在 現在 今天 暂时 这次 這次 目前 明天 先 今 今日 とりあえず 今回 一旦 明日 後で 지금 오늘 일단 이번',
  this:
    'this these that it diese* dies das ce cette ces cet este esta estos estas ese esa eso esto isso essa esse ' +
    'questo questa dit deze это этот эту эта этом этой 这 這 这个 那个 この これ その それ 이 이것',
  fix:
    'fix repair debug resolve solve behebe* beheb* repariere* korrigier* fixe corrige* répare* arregla* ' +
    'corrig* conserta* ripara* исправ* почин* 修复 修正 修 直して 直す 고쳐* 수정*',
  add:
    'add create implement write build make generate füge* erstell* implementier* schreib* baue ajoute* crée* ' +
    'créer implémente* écris écri* génère* añade* agrega* crea* implementa* escribe* genera* adiciona* ' +
    'adicione crie criar implemente escreva* gere aggiungi scrivi добав* созда* реализ* напиши* сделай* 添加 加 ' +
    '创建 实现 写 生成 追加 作成 作って 実装 書いて 추가* 만들*',
  change:
    'change rename move remove delete update replace refactor änder* benenne* lösch* entfern* verschieb* ' +
    'aktualisier* ersetz* change* renomme* supprime* déplace* remplac* cambia* renombra* borra* elimina* ' +
    'mueve* actualiza* reemplaza* muda* mude renome* remov* apag* atualiz* substitu* измени* переимен* удали* ' +
    'обнов* замени* перенес* 修改 改 删除 更新 替换 重命名 変更 削除 更新して 移動 변경* 삭제*',
  look:
    'look check see show find explain tell investigate review analyze describe compare schau* prüf* zeig* ' +
    'finde erklär* such* regarde* vérifie* montre* trouve* explique* cherche* mira* revisa* comprueba* ' +
    'muestra* busca* explica* olha* olhe verifi* mostr* explique procure* посмотр* провер* покажи* найди* ' +
    'объясни* 看 检查 看看 查 找 解释 说明 見て 確認 調べて 教えて 説明 확인* 보여* 찾아*',
  run:
    'run start execute restart deploy install open starte* führ* lance* exécute* démarre* installe* ejecuta* ' +
    'corre arranca* instala* execut* rode inicia* instale esegui avvia запусти* выполни* установи* разверни* ' +
    '运行 启动 执行 安装 部署 実行 起動 インストール 실행*',
  use:
    'use verwende* nutze* benutz* utilise* usa usar use* utiliza* utilize usare gebruik* использу* 使用 用 使って 使う ' +
    '사용*',
  ask:
    "please can_you could_you would_you bitte kannst_du könntest_du s'il_te_plaît s'il_vous_plaît peux_tu " +
    'peux_-_tu pouvez_-_vous pouvez_vous por_favor puedes podrías você_pode pode per_favore puoi alsjeblieft kun_je пожалуйста ' +
    'можешь 请 請 帮我 帮忙 能不能 ください お願い 해주세요 줘',
  question:
    "why what how where who which warum wieso was wie wo welche* pourquoi quoi comment où quel* qu'est " +
    'por_qué porqué qué cómo dónde cuál* por_que porque_é como onde qual quais perché cosa come dove waarom ' +
    'wat hoe почему зачем что как где какой какая 为什么 怎么 什么 哪 吗 なぜ どう 何 どこ ですか ますか 왜 어떻게 뭐',
  done:
    'fixed done works never_mind thanks erledigt danke passt merci fonctionne gracias funciona obrigad* grazie спасибо ' +
    'готово работает 谢谢 好了 ありがとう できた 감사*',
};

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const EXACT = new Map<string, string>();
const STEMS = new Map<string, string>();
/** First word -> words of the longest phrase that starts with it. */
const LONGEST = new Map<string, number>();
for (const [meaning, words] of Object.entries(WORDS)) {
  for (const word of words.split(' ')) {
    if (word.endsWith('*')) {
      STEMS.set(word.slice(0, -1), meaning);
      continue;
    }
    const parts = CJK.test(word) ? [...word] : word.split('_');
    EXACT.set(parts.join('_'), meaning);
    LONGEST.set(parts[0]!, Math.max(parts.length, LONGEST.get(parts[0]!) ?? 1));
  }
}

/** Korean stems have two signs, all others three and more. */
const SHORTEST_STEM = 2;

/** The meaning of a word by its stem: the longest that fits. */
function stemOf(word: string): string | undefined {
  for (let end = word.length; end >= SHORTEST_STEM; end -= 1) {
    const meaning = STEMS.get(word.slice(0, end));
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

/**
 * Meanings in the order in which they come up; of phrases that start at one word the longest counts.
 * @param tokens of a sentence, in lower case; signs of scripts without spaces one by one
 */
export function conceptsOf(tokens: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < tokens.length;) {
    let taken = 1;
    let meaning: string | undefined;
    const longest = Math.min(LONGEST.get(tokens[at]!) ?? 0, tokens.length - at);
    for (let length = longest; length >= 1 && meaning === undefined; length -= 1) {
      meaning = EXACT.get(length === 1 ? tokens[at]! : tokens.slice(at, at + length).join('_'));
      if (meaning !== undefined) taken = length;
    }
    meaning ??= stemOf(tokens[at]!);
    if (meaning !== undefined) found.push(meaning);
    at += taken;
  }
  return found;
}

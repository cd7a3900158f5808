# frozen_string_literal: true

require "delegate"
require "logger"
require "test_helper"
require "raffia/jobs/web"
require "raffia/server"
require "support/browser"

# The dashboard in a real browser, with scripts and without. RAFFIA_PICTURES=folder keeps what it
# looks like.
class JobsWebBrowserTest < Raffia::TestCase
  Jobs = Raffia::Jobs
  Browser = TestSupport::Browser
  # Asks for what is new now, not seconds later.
  REFRESH = "document.dispatchEvent(new Event('visibilitychange'))"

  def setup
    super
    Browser.program
    @store = Jobs::Store.open("memory:")
    @client = Jobs::Client.new(@store)
    @server = Raffia::Server.start(Jobs::Web.new(store: @store, title: "Shop", refresh: 1),
      logger: Logger.new(IO::NULL))
  rescue Browser::Missing => error
    skip error.message
  end

  def teardown
    @server&.stop
    @store&.close
    super
  end

  def enqueue(*items)
    @client.enqueue(items.map { |item| {"class" => "PageJob", "args" => [], **item} })
  end

  def bury(error, jobs = 1)
    enqueue(*Array.new(jobs) { |index| {"args" => [error, index]} })
    lease = @store.enroll("test:1:a", {}, ttl: 600)
    @store.claim(lease, ["default"], jobs)
      .each do |claim|
        @store.bury(claim,
          JSON.generate(claim.item.merge("error_class" => "RuntimeError",
            "error_message" => error)))
      end
    @store.resign(lease)
  end

  # @yieldparam page [TestSupport::Browser::Page] about which the browser has nothing to complain in
  #   the end
  def visit(path = "/", scripts: true)
    Browser.open do |browser|
      page = browser.visit("data:,")
      page.scripts(false) unless scripts
      browser.complaints.clear
      page.go(@server.url + path)
      yield page
      assert_empty page.complaints
    end
  end

  def rows(page)
    page.eval("[...document.querySelectorAll('tbody tr[data-key]')].map(row => " \
      "row.innerText.replace(/\\s+/g, ' '))")
  end

  def await_rows(page, count)
    page.await("document.querySelectorAll('tbody tr[data-key]').length === #{count}")
  end

  # @param css [String]
  # @param text [String] of the button
  def click(page, text, css = "button")
    page.eval("[...document.querySelectorAll(#{css.to_json})].find(one => one.innerText.trim() " \
      "=== #{text.to_json}).click()")
  end

  def await_notice(page, text)
    page.await("document.querySelector('.notice')?.innerText === #{text.to_json} && " \
      "document.readyState === 'complete'")
  end

  def picture(name, page)
    folder = ENV["RAFFIA_PICTURES"] or return
    [[1280, 800, false], [1280, 800, true], [360, 740, false]].each do |width, height, dark|
      page.size(width, height)
      page.dark(dark)
      File.binwrite(File.join(folder, "jobs-#{name}-#{width}#{"-dark" if dark}.png"), page.picture)
    end
    page.size(1280, 800)
    page.dark(false)
  end

  def test_pages_follow_what_happens
    enqueue({"queue" => "mail"})
    visit("/queues") do |page|
      await_rows(page, 1)
      page.eval("window.kept = document.querySelector('tbody tr[data-key=mail]'); " \
        "document.querySelector('input[type=search]').value = 'typed'")
      enqueue({"queue" => "mail"}, {"queue" => "alpha"})
      page.await("document.getElementById('live')?.innerText === 'Live'")
      await_rows(page, 2) # by itself
      assert_match(/\Aalpha 1 .*mail 2 /, rows(page).join)
      assert_equal [true, "typed"],
        page.eval("[window.kept === document.querySelector('tbody tr[data-key=mail]'), " \
          "document.querySelector('input[type=search]').value]")
      assert_equal "3",
        page.eval("document.querySelector('#nav a[href=\"/queues\"] .size').innerText")
      @store.clear(:queue)
      page.eval(REFRESH)
      await_rows(page, 0)
    end
  end

  def test_a_pause_and_a_hidden_tab
    visit("/queues") do |page|
      page.await("document.getElementById('pause').offsetParent !== null")
      click(page, "Pause")
      enqueue({"queue" => "mail"})
      asked = "performance.getEntriesByType('resource').filter(one => one.initiatorType === " \
        "'fetch').length"
      page.await("#{asked} > 0")
      before = page.eval(asked)
      page.eval(REFRESH)
      assert_equal ["Paused", before, 0],
        page.eval("[document.getElementById('live').innerText, #{asked}, " \
          "document.querySelectorAll('tbody tr[data-key]').length]")
      click(page, "Go on")
      await_rows(page, 1)
      page.eval("Object.defineProperty(document, 'hidden', {get: () => window.away, " \
        "configurable: true}); window.away = true; #{REFRESH}")
      before = page.eval(asked)
      page.eval(REFRESH)
      assert_equal before, page.eval(asked)
      enqueue({"queue" => "other"})
      page.eval("window.away = false; #{REFRESH}")
      await_rows(page, 2)
    end
  end

  def test_dead_jobs_are_found_retried_and_deleted
    bury("needle in it", 3)
    bury("hay", 4)
    visit("/dead") do |page|
      await_rows(page, 7)
      picture("dead", page)
      page.eval("document.querySelector('input[type=search]').value = 'needle', " \
        "document.querySelector('form.search').requestSubmit()")
      await_rows(page, 3)
      page.eval("document.querySelector('tbody input[type=checkbox]').click()")
      page.eval(REFRESH)
      page.await("document.getElementById('live')?.innerText === 'Live'")
      assert_equal 1, page.eval("document.querySelectorAll('tbody input:checked').length")
      click(page, "Retry", ".bulk button")
      await_notice(page, "1 job is to be run now.")
      assert_equal({queue: 1, dead: 6}, @store.counts.slice(:queue, :dead))
      await_rows(page, 2)
      refute page.eval("location.search.includes('done=')")
      page.eval("document.querySelector('[data-all] input').click()")
      click(page, "Delete", ".bulk button")
      await_notice(page, "2 jobs are deleted.")
      page.go("#{@server.url}/dead?match=hay")
      click(page, "Delete: all that match", ".bulk button")
      page.await("document.querySelector('h1')?.innerText === 'Are you sure?'")
      picture("confirm", page)
      click(page, "Yes")
      await_notice(page, "4 jobs are deleted.")
      assert_equal 0, @store.counts[:dead]
    end
  end

  def test_keys
    bury("boom", 3)
    visit("/dead") do |page|
      await_rows(page, 3)
      here = "[...document.querySelectorAll('tbody tr[data-key]')].findIndex(row => " \
        "row.contains(document.activeElement))"
      %w[j j x k x].each { |key| page.press(key) }
      page.eval("document.querySelector('tbody input:checked').focus()")
      page.press("Enter") # changes nothing
      assert_equal [0, [0, 1]],
        page.eval("[#{here}, [...document.querySelectorAll('tbody " \
          "input[type=checkbox]')].flatMap((box, index) => box.checked ? [index] : [])]")
      page.eval(REFRESH)
      page.await("document.querySelector('tr[data-selected]') !== null")
      assert_equal 0, page.eval(here)
      page.press("/")
      assert page.eval("document.activeElement.matches('input[type=search]')")
      page.press("j")
      assert_equal "j", page.eval("document.activeElement.value")
      page.eval("document.activeElement.blur()")
      page.press("?")
      assert page.eval("document.getElementById('keys').open")
      page.press("Escape")
      # which the browser does after each other
      page.await("!document.getElementById('keys').open && " \
        "!document.activeElement.closest('dialog')")
      page.press("j")
      page.await("document.activeElement.matches('tbody th a')")
      page.press("Enter")
      page.await("location.pathname === '/job' && document.readyState === 'complete'")
      assert_match(/PageJob/, page.eval("document.querySelector('h1').innerText"))
      picture("job", page)
    end
  end

  # Each on one line, where there is space for the longest word of each column.
  def test_names_are_not_broken_in_the_middle
    enqueue({"class" => "Billing::MonthlyInvoiceGenerationJob", "args" => ["x" * 300],
      "queue" => "low_priority_exports", "at" => Time.now.to_f + 900})
    visit("/scheduled") do |page|
      lines = page.eval(<<~JS)
        [...document.querySelectorAll("tbody th > a, tbody td[data-label=Queue]")].map(cell => {
          const range = document.createRange()
          range.selectNodeContents(cell)
          return range.getClientRects().length
        })
      JS
      assert_equal [1, 1], lines
      assert_operator page.eval("document.documentElement.scrollWidth - innerWidth"), :<=, 0,
        "the page itself is not wider than its window"
    end
  end

  def test_without_scripts
    bury("boom", 2)
    visit("/dead", scripts: false) do |page|
      assert_equal 2, rows(page).size
      refute page.eval("document.getElementById('pause').offsetParent !== null")
      page.eval("document.querySelector('tbody input[type=checkbox]').click(), " \
        "[...document.querySelectorAll('.bulk button')][0].click()")
      await_notice(page, "1 job is to be run now.")
      assert_equal 1, rows(page).size
      page.eval("document.querySelector('#nav a[href=\"/queues\"]').click()")
      page.await("location.pathname === '/queues' && document.readyState === 'complete'")
      click(page, "Pause", "main button")
      await_notice(page, "It is paused.")
      assert @store.queues.first["paused"]
    end
  end

  # Each page, with payloads that would do something if they could, and nothing for the browser to
  # complain of.
  def test_no_page_runs_what_is_not_ours
    evil = %("'><script>window.owned=1</script><img src=x onerror=window.owned=1>)
    @store.pause(evil)
    enqueue({"class" => evil, "args" => [evil], "tags" => [evil]},
      {"class" => evil, "at" => Time.now.to_f + 1000})
    bury(evil, 2)
    lease = @store.enroll("h:1:b", {"hostname" => evil, "pid" => evil, "tag" => evil,
      "queues" => [evil], "concurrency" => 5}, ttl: 600)
    @store.beat(lease,
      {"busy" => 1,
       "work" => [{"jid" => evil, "payload" => JSON.generate("class" => evil, "jid" => evil),
                   "run_at" => 1, "note" => evil, "progress" => 0.5}]},
      tally: Jobs::Tally.new(processed: 9, failed: 1,
        classes: {evil => {"processed" => 9, "failed" => 1, "ms" => 90, "histogram" => [1] * 26}}))
    @store.open_batch("b", about: {"description" => evil})
    visit do |page|
      name = URI.encode_www_form_component(evil)
      ["/", "/queues", "/queue?queue=default", "/queue?queue=#{name}", "/busy", "/scheduled",
        "/retries", "/dead", "/dead?match=#{name}", "/blocked", "/recurring", "/batches",
        "/batch?id=b", "/metrics", "/class?name=#{name}", "/processes"].each do |path|
        page.go(@server.url + path)
        page.await("document.querySelector('.live').hidden === false")
        page.eval(REFRESH)
        page.await("performance.getEntriesByType('resource').filter(one => one.initiatorType === " \
          "'fetch').length > 0")
        assert_equal [true, 0],
          page.eval("[window.owned === undefined, document.querySelectorAll('main script, main " \
            "img').length]"), path
      end
      page.go(@server.url)
      page.await("document.querySelectorAll('.charts figure:not([hidden]) > svg').length === 3")
      picture("home", page)
      page.go("#{@server.url}/class?name=#{name}")
      page.await("document.querySelectorAll('.charts figure:not([hidden]) > svg').length === 2")
    end
  end

  def test_a_store_that_goes_away_and_comes_back
    down = false
    store =
      Class.new(SimpleDelegator) {
        define_method(:counts) do |**how|
          down ? raise(Jobs::StoreUnavailable, "no answer") : __getobj__.counts(**how)
        end
      }.new(@store)
    web = Jobs::Web.new(store: store, refresh: 0.5)
    Raffia::Server.start(web, logger: Logger.new(IO::NULL)) do |server|
      Browser.open do |browser|
        page = browser.visit("#{server.url}/queues")
        page.await("document.getElementById('live')?.innerText === 'Live'")
        down = true
        page.await("document.getElementById('live')?.innerText === 'The store does not answer'")
        page.go("#{server.url}/queues")
        assert_match(/no answer/, page.eval("document.body.innerText"))
        down = false
        page.await("document.querySelector('h1')?.innerText === 'Queues'")
      end
    end
  end
end

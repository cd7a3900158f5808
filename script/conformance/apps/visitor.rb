# frozen_string_literal: true

require File.join(Conformance::ROOT, "test/support/browser")
require File.join(Conformance::ROOT, "test/support/leaks")

module Conformance
  # A person with a browser: a real Chromium, in which an application's pages run their scripts.
  # Keeps the page after each step.
  class AppVisitor
    # @yieldparam visitor [AppVisitor]
    # @raise [Error] without a Chromium, or when the page is not what the next step needs
    def self.open(port)
      TestSupport::Browser.open { |browser| yield new(browser, "http://127.0.0.1:#{port}") }
    rescue TestSupport::Browser::Missing, RuntimeError => error
      raise if error.is_a?(Error)
      raise Error, "in Chromium: #{error.message.lines.first(6).join}"
    end

    # @return [Array<Hash>] of each step: the path, title, text, forms, and what the browser
    #   complained about
    attr_reader :steps

    def initialize(browser, origin)
      @browser = browser
      @origin = origin
      @steps = []
    end

    # @param text [String] what the page shows
    def go(path, text)
      url = "#{@origin}#{path}"
      @page ? @page.go(url) : @page = @browser.visit(url)
      see("go to #{path}", text)
    end

    # Clicks a link, or a button, by what it says: the last of them.
    def click(words, text)
      @page.await(<<~JS)
        (() => {
          const all = [...document.querySelectorAll("a, button, input[type=submit]")];
          const found = all.findLast(one => (one.innerText || one.value).trim() === #{words.to_json});
          if (found) found.click();
          return !!found;
        })()
      JS
      see("click #{words}", text)
    end

    # @param fields [Hash{String => String}] values by the names of a form's fields
    def fill(fields)
      fields.each do |name, value|
        @page.await(<<~JS)
          (() => {
            const field = document.querySelector(`[name="#{name}"]`);
            if (field) { field.focus(); field.select(); }
            return !!field;
          })()
        JS
        @page.type(value)
      end
    end

    private

    # Waits for a page that is whole, and no preview of one, with this text.
    def see(step, text)
      state = @page.await(<<~JS)
        (() => {
          const root = document.documentElement, shown = document.body && document.body.innerText;
          if (document.readyState !== "complete" || root.hasAttribute("aria-busy")) return null;
          if (root.hasAttribute("data-turbo-preview")) return null;
          if (!shown || !shown.includes(#{text.to_json})) return null;
          return {path: location.pathname + location.search, title: document.title, text: shown,
            forms: document.forms.length, turbo: typeof Turbo};
        })()
      JS
      complaints = @page.complaints.map { |line| line.gsub(@origin, "") }
      @steps << state.merge("step" => step, "complaints" => complaints)
    end
  end
end

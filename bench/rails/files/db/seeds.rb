20.times { |number| Article.create!(title: "Article #{number}", body: "Some text about #{number}. " * 12) }

20.times do |number|
  Article.create!(title: "Article #{number}", body: "Some text about #{number}. " * 12)
end
